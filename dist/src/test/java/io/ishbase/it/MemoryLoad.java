package io.ishbase.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.util.Bytes;

/** A table of 12 MB that is read at random, and what of the server's memory who has. */
final class MemoryLoad implements AutoCloseable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int VALUE_BYTES = 1000;
  private static final int ROWS = 12_000;
  private static final int BATCH = 500;

  private final MiniCluster cluster;
  private final Table table;
  private final Random random = new Random(1);

  /** A cluster that may move memory, and a table of it whose rows are in files. */
  static MemoryLoad start(String read, Consumer<Configuration> settings) throws Exception {
    MiniCluster cluster =
        MiniCluster.start(
            conf -> {
              conf.set("ishbase.memory", "auto");
              // A sum in which a small cache is not moved for its bounds alone.
              conf.setFloat("hbase.regionserver.global.memstore.size", 0.05f);
              conf.setInt("ishbase.memory.block-cache.min", 1);
              conf.setInt("ishbase.memory.segment-cache.min", 1);
              settings.accept(conf);
            });
    try {
      if (read.equals(MiniCluster.IN_STORAGE)) {
        cluster.startDaemons();
      }
      return new MemoryLoad(cluster, read);
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private MemoryLoad(MiniCluster cluster, String read) throws IOException {
    this.cluster = cluster;
    TableName name = TableName.valueOf("t");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue(MiniCluster.READ, read)
                .build());
    table = cluster.connection().getTable(name);
    write();
    cluster.util.getAdmin().flush(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private void write() throws IOException {
    List<Put> batch = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      batch.add(new Put(row(i)).addColumn(FAMILY, FAMILY, value));
      if (batch.size() == BATCH) {
        table.put(batch);
        batch.clear();
      }
    }
  }

  /** Reads some rows. */
  void read() {
    List<Get> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      batch.add(new Get(row(random.nextInt(ROWS))));
    }
    try {
      table.get(batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HRegionServer server() {
    return cluster.util.getMiniHBaseCluster().getRegionServer(0);
  }

  BlockCache blockCache() {
    return server().getBlockCache().orElseThrow();
  }

  long memstoreBytes() {
    return MemstoreMemory.limitBytes(server());
  }

  static long segmentCacheBytes() {
    return NodesBean.cacheCounter("budgetBytes");
  }

  /** What all of them have. */
  long sum() {
    return memstoreBytes() + blockCache().getMaxSize() + segmentCacheBytes();
  }

  @Override
  public void close() throws Exception {
    table.close();
    cluster.close();
  }
}
