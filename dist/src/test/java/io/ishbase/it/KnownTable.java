package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A table in three HFiles and a memstore whose rows are known: each has its newest value in one of
 * the four, older values in others. Blocks are not cached, so every read goes to storage.
 */
final class KnownTable implements AutoCloseable {
  static final int ROWS = 2000;

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final byte[] STOP_ROW = Bytes.toBytes("row~");

  private final MiniCluster cluster;
  private final TableName name;
  private final SortedMap<String, String> rows = new TreeMap<>();
  private final Random random = new Random(1);
  private final Table client;

  KnownTable(MiniCluster cluster, String name) throws IOException {
    this.cluster = cluster;
    this.name = TableName.valueOf(name);
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(this.name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setBlocksize(1024)
                        .setBlockCacheEnabled(false)
                        .build())
                .build());
    client = cluster.connection().getTable(this.name);
    for (int file = 0; file < 4; file++) {
      if (file > 0) {
        cluster.util.flush(this.name);
      }
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        if (file == 0 || random.nextInt(4) == 0) {
          puts.add(put(row, file));
        }
      }
      client.put(puts);
    }
    assertThat(scan(MiniCluster.STOCK)).isEqualTo(rows);
  }

  private Put put(int row, int file) {
    String key = key(row);
    String value = "value " + row + " in " + file + " " + "x".repeat(random.nextInt(100));
    rows.put(key, value);
    return new Put(Bytes.toBytes(key)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value));
  }

  private static String key(int row) {
    return String.format("row%05d", row);
  }

  TableName name() {
    return name;
  }

  ResultScanner scanner(String mode) throws IOException {
    return client.getScanner(MiniCluster.in(mode, new Scan()).withStopRow(STOP_ROW).setCaching(10));
  }

  /** Checks the first rows in-storage with a filter that lets all rows pass. */
  void checkFiltered(Filter filter) throws IOException {
    Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()).setFilter(filter);
    try (ResultScanner scanner = client.getScanner(scan.setCaching(10))) {
      checkNext(scanner, null, 10);
    }
  }

  SortedMap<String, String> scan(String mode) throws IOException {
    SortedMap<String, String> found = new TreeMap<>();
    try (ResultScanner scanner = scanner(mode)) {
      for (Result result : scanner) {
        found.put(Bytes.toString(result.getRow()), Bytes.toString(result.value()));
      }
    }
    return found;
  }

  /** Reads {@code count} rows from {@code scanner} and checks that they follow {@code after}. */
  String checkNext(ResultScanner scanner, String after, int count) throws IOException {
    SortedMap<String, String> rest = after == null ? rows : rows.tailMap(after + "\0");
    String last = after;
    for (var row : rest.entrySet()) {
      if (count-- == 0) {
        return last;
      }
      Result result = scanner.next();
      assertThat(result).as("row " + row.getKey()).isNotNull();
      assertThat(Bytes.toString(result.getRow())).isEqualTo(row.getKey());
      assertThat(Bytes.toString(result.value())).isEqualTo(row.getValue());
      last = row.getKey();
    }
    assertThat(scanner.next()).as("after the last row").isNull();
    return last;
  }

  /** Gets {@code count} rows in-storage, checks them, and returns the longest time of one. */
  long checkGets(int count) throws IOException {
    long longestMillis = 0;
    for (int i = 0; i < count; i++) {
      String key = key(random.nextInt(ROWS));
      long start = System.nanoTime();
      Result result =
          client.get(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(Bytes.toBytes(key))));
      longestMillis =
          Math.max(longestMillis, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      assertThat(Bytes.toString(result.value())).as(key).isEqualTo(rows.get(key));
    }
    return longestMillis;
  }

  /** Gets {@code count} rows in-storage in one call and checks them. */
  void checkMulti(int count) throws IOException {
    List<String> keys = new ArrayList<>();
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = key(random.nextInt(ROWS));
      keys.add(key);
      gets.add(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(Bytes.toBytes(key))));
    }
    Result[] results = client.get(gets);
    for (int i = 0; i < count; i++) {
      assertThat(Bytes.toString(results[i].value()))
          .as(keys.get(i))
          .isEqualTo(rows.get(keys.get(i)));
    }
  }

  /** A whole scan, checked. */
  void checkScan() throws IOException {
    assertThat(scan(MiniCluster.IN_STORAGE)).isEqualTo(rows);
  }

  /** Reads, all of them right, until daemons answer. */
  void awaitInStorage() {
    MiniCluster.await(
        "an answer from a daemon",
        () -> {
          long before = InStorageMetrics.get().cells();
          try {
            checkGets(1);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return InStorageMetrics.get().cells() > before;
        });
  }

  @Override
  public void close() throws IOException {
    MiniCluster.await(
        "scanners to let go of store files", () -> cluster.storeFileReferences(name) == 0);
    client.close();
    cluster.util.deleteTable(name);
  }
}
