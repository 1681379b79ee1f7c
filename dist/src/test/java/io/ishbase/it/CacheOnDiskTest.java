package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that leave the segment cache's memory, and are read from the file on a disk. */
class CacheOnDiskTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 1_000;

  /** Two versions of a row are not too long to be cached. */
  private static final int VALUE_BYTES = 400;

  /** A quarter of the rows fits in memory, all of them into the file. */
  private static final long CACHE_BYTES = 128 << 10;

  private static final long FILE_BYTES = 8 << 20;

  @TempDir private static Path home;
  private static MiniCluster cluster;
  private final Random random = new Random(Seed.get());

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
              conf.set("ishbase.cache.compression", "none");
              conf.set("ishbase.cache.file", home.resolve("rows").toString());
              conf.setLong("ishbase.cache.file.bytes", FILE_BYTES);
              conf.setLong("ishbase.cache.prewarm", 0);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private Table create(String name) throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE);
    cluster.util.getAdmin().createTable(table.build());
    Table rows = cluster.connection().getTable(TableName.valueOf(name));
    put(rows, "a", IntStream.range(0, ROWS).toArray());
    cluster.util.getAdmin().flush(rows.getName());
    return rows;
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  /** Whatever the random bytes are, the value begins so. */
  private void put(Table table, String begin, int... rows) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int row : rows) {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      byte[] text = Bytes.toBytes(begin + row + ".");
      System.arraycopy(text, 0, value, 0, text.length);
      puts.add(new Put(row(row)).addColumn(FAMILY, QUALIFIER, value));
    }
    table.put(puts);
  }

  private static void assertRow(Result row, String begin, int number) {
    String text = begin + number + ".";
    assertThat(Bytes.toString(row.value(), 0, text.length())).isEqualTo(text);
  }

  private static void read(Table table, String begin, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      assertRow(table.get(new Get(row(i))), begin, i);
    }
  }

  private static long requests() {
    return InStorageMetrics.get().requests();
  }

  @Test
  void aRowThatLeftTheMemoryNeedsNoRequest() throws Exception {
    try (Table table = create("once")) {
      read(table, "a", 0, ROWS);
      long first = requests();
      read(table, "a", 0, ROWS);
      // The last ones that left may not be in order with the writer.
      assertThat(requests() - first).isLessThan(ROWS / 50);

      List<Get> multi = IntStream.range(0, ROWS).mapToObj(i -> new Get(row(i))).toList();
      long second = requests();
      Result[] results = table.get(multi);
      for (int i = 0; i < ROWS; i++) {
        assertRow(results[i], "a", i);
      }
      assertThat(requests() - second).as("of a call with all of them").isLessThan(ROWS / 50);

      HStore store = cluster.regions(table.getName()).get(0).getStore(FAMILY);
      var old = store.getStorefiles().iterator().next().getPath();
      cluster.util.getAdmin().majorCompact(table.getName());
      MiniCluster.await(
          "the compaction", () -> !store.getStorefiles().iterator().next().getPath().equals(old));
      long third = requests();
      read(table, "a", 0, ROWS);
      assertThat(requests() - third).as("after a compaction").isLessThan(ROWS / 50);
    }
    cluster.util.deleteTable(TableName.valueOf("once"));
  }

  @Test
  void whatAFlushWritesIsSeen() throws Exception {
    try (Table table = create("flushed")) {
      read(table, "a", 0, ROWS);
      put(table, "b", IntStream.range(100, 200).toArray());
      table.delete(new Delete(row(300)));
      read(table, "b", 100, 200);
      cluster.util.getAdmin().flush(table.getName());
      long flushed = requests();
      read(table, "a", 0, 100);
      read(table, "b", 100, 200);
      read(table, "a", 200, 300);
      assertThat(table.get(new Get(row(300))).isEmpty()).isTrue();
      assertThat(requests() - flushed).as("after a flush").isLessThan(ROWS / 50);
      put(table, "c", 300);
      assertRow(table.get(new Get(row(300))), "c", 300);
      long before = requests();
      read(table, "a", 301, ROWS);
      assertThat(requests() - before).as("of rows that it did not touch").isLessThan(ROWS / 50);
    }
    cluster.util.deleteTable(TableName.valueOf("flushed"));
  }

  @Test
  void anotherTableOfThatNameHasItsOwnRows() throws Exception {
    try (Table table = create("again")) {
      read(table, "a", 0, ROWS);
      cluster.util.getAdmin().disableTable(table.getName());
      cluster.util.getAdmin().truncateTable(table.getName(), true);
      assertThat(table.get(new Get(row(1))).isEmpty()).isTrue();
      put(table, "d", IntStream.range(0, ROWS).toArray());
      cluster.util.getAdmin().flush(table.getName());
      read(table, "d", 0, ROWS);
      read(table, "d", 0, ROWS);
    }
    cluster.util.deleteTable(TableName.valueOf("again"));
  }
}
