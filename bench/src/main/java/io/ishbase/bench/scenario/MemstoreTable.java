package io.ishbase.bench.scenario;

import io.ishbase.bench.Filling;
import io.ishbase.bench.Load;
import io.ishbase.bench.TableFormat.Stores;
import io.ishbase.bench.Tally;
import io.ishbase.bench.memstore.Operation;
import io.ishbase.bench.memstore.Script;
import io.ishbase.bench.memstore.ScriptRows;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** A table of one region and family whose memstore follows a policy. */
final class MemstoreTable {
  /** The policy that finds out what pays. */
  static final String AUTO = "auto";

  /** HBase's policies, NONE first, and {@link #AUTO}. */
  static final List<String> POLICIES =
      Stream.concat(
              Stream.of(MemoryCompactionPolicy.values()).map(MemoryCompactionPolicy::name),
              Stream.of(AUTO))
          .toList();

  private static final TableName NAME = TableName.valueOf("memstore");

  private final Connection connection;

  MemstoreTable(Connection connection) {
    this.connection = connection;
  }

  TableName name() {
    return NAME;
  }

  Table open() throws IOException {
    return connection.getTable(NAME);
  }

  /**
   * Creates it anew, empty.
   *
   * @param policy one of {@link #POLICIES}
   */
  void create(String policy, long flushBytes) throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(ScriptRows.FAMILY);
    if (policy.equals(AUTO)) {
      family.setConfiguration("ishbase.memstore", AUTO);
    } else {
      family.setInMemoryCompaction(MemoryCompactionPolicy.valueOf(policy));
    }
    Tables.recreate(
        connection,
        TableDescriptorBuilder.newBuilder(NAME)
            .setRegionSplitPolicyClassName(
                "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
            .setMemStoreFlushSize(flushBytes)
            .setDurability(Durability.ASYNC_WAL)
            .setColumnFamily(family.build())
            .build());
  }

  /** Writes the rows with which a script begins, if there are any, and flushes them. */
  void fill(Script script) throws IOException {
    if (script.rows() == 0) {
      return;
    }
    Filling filling = new Filling(Stores.USUAL, script.rows(), System.currentTimeMillis());
    try (Progress progress =
        new Progress(
            String.format(Locale.ROOT, "loading %s, %,d rows", NAME, script.rows()),
            filling.writes())) {
      filling.run(
          connection,
          NAME,
          place -> place,
          (number, version, timestamp) -> script.row(number),
          progress);
      progress.done("");
    }
  }

  /** What a script's clients do, on this table. */
  Load load(Script script) {
    return worker -> {
      Table table = open();
      Supplier<Operation> operations = script.client(worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          operations.get().run(table, tally);
        }

        @Override
        public void close() throws IOException {
          table.close();
        }
      };
    };
  }
}
