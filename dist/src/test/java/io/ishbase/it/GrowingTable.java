package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A table whose rows are always there, each with one number in two columns that only grows. Each
 * row has one writer at a time, who says here what he begins and what was acknowledged: so anybody
 * knows what a read may find, whatever happens to the table's files meanwhile.
 */
final class GrowingTable {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] A = Bytes.toBytes("a");
  static final byte[] B = Bytes.toBytes("b");
  static final int ROWS = 90;

  /** Every third row is loaded in bulk; the others are put. */
  static final int LOADED = 3;

  private static final byte[] FILLER = new byte[60];

  private final TableName name;
  private final Connection connection;
  private final Configuration conf;
  private final Path directory;
  private final long firstTimestamp = System.currentTimeMillis() - 3_600_000;
  private final AtomicLongArray begun = new AtomicLongArray(ROWS);
  private final AtomicLongArray acknowledged = new AtomicLongArray(ROWS);

  /** Odd while its regions are moved or split. */
  private final AtomicLong regionChanges = new AtomicLong();

  GrowingTable(MiniCluster cluster, String name, ColumnFamilyDescriptor family) throws IOException {
    this.name = TableName.valueOf(name);
    this.connection = cluster.connection();
    this.conf = cluster.util.getConfiguration();
    this.directory = cluster.util.getDataTestDirOnTestFS(name);
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(this.name)
                .setColumnFamily(family)
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build());
    try (Table table = table()) {
      for (int row = 0; row < ROWS; row++) {
        put(table, row);
      }
    }
  }

  TableName name() {
    return name;
  }

  Table table() throws IOException {
    return connection.getTable(name);
  }

  static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  static int number(byte[] row) {
    return Integer.parseInt(Bytes.toString(row, 3, row.length - 3));
  }

  private long timestamp(long value) {
    return firstTimestamp + value;
  }

  private static byte[] cellValue(long value) {
    return Bytes.add(Bytes.toBytes(value), FILLER);
  }

  /** Moves or splits its regions. */
  void changeRegions(Callable<Void> change) throws Exception {
    regionChanges.incrementAndGet();
    try {
      change.call();
    } finally {
      regionChanges.incrementAndGet();
    }
  }

  /** How often its regions began or ceased to change: an odd number while they do. */
  long regionChanges() {
    return regionChanges.get();
  }

  /** Writes the row's next number. */
  void put(Table table, int row) throws IOException {
    long value = begun.incrementAndGet(row);
    table.put(
        new Put(row(row), timestamp(value))
            .addColumn(FAMILY, A, cellValue(value))
            .addColumn(FAMILY, B, cellValue(value)));
    acknowledged.set(row, value);
  }

  /** Deletes all but the row's last number. */
  void deleteOlder(Table table, int row, boolean byFamily) throws IOException {
    long older = timestamp(acknowledged.get(row) - 1);
    Delete delete = new Delete(row(row));
    table.delete(
        byFamily
            ? delete.addFamily(FAMILY, older)
            : delete.addColumns(FAMILY, A, older).addColumns(FAMILY, B, older));
  }

  /** Loads the next numbers of some rows as a file. */
  void bulkLoad(Random random) throws IOException {
    Path load = new Path(directory, UUID.randomUUID().toString());
    boolean[] loaded = new boolean[ROWS];
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, new CacheConfig(conf))
            .withPath(load.getFileSystem(conf), new Path(new Path(load, "f"), "loaded"))
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      for (int row = 0; row < ROWS; row += LOADED) {
        loaded[row] = row == 0 || random.nextBoolean();
        if (loaded[row]) {
          long value = begun.incrementAndGet(row);
          for (byte[] column : new byte[][] {A, B}) {
            writer.append(
                new KeyValue(row(row), FAMILY, column, timestamp(value), cellValue(value)));
          }
        }
      }
    }
    BulkLoadHFiles.create(conf).bulkLoad(name, load);
    for (int row = 0; row < ROWS; row++) {
      if (loaded[row]) {
        acknowledged.set(row, begun.get(row));
      }
    }
  }

  /** What was acknowledged by now: a read that begins after this finds at least that. */
  long[] acknowledged() {
    return LongStream.range(0, ROWS).map(row -> acknowledged.get((int) row)).toArray();
  }

  /**
   * Checks what a read that has ended found of a row.
   *
   * @param atLeast what had been acknowledged when it began
   */
  void check(Result result, int row, long atLeast) {
    long atMost = begun.get(row);
    assertThat(result.isEmpty()).as("row %d of %s is missing", row, name).isFalse();
    assertThat(number(result.getRow())).isEqualTo(row);
    long value = Bytes.toLong(result.rawCells()[0].getValueArray(), valueOffset(result));
    assertThat(value).as("row %d of %s", row, name).isBetween(atLeast, atMost);
    for (byte[] column : new byte[][] {A, B}) {
      byte[] found = result.getValue(FAMILY, column);
      if (found != null) {
        assertThat(Bytes.toLong(found)).as("row %d of %s is torn", row, name).isEqualTo(value);
      }
    }
    assertThat(result.containsColumn(FAMILY, B)).as("row %d of %s", row, name).isTrue();
  }

  private static int valueOffset(Result result) {
    return result.rawCells()[0].getValueOffset();
  }
}
