package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.blockwarmup.WarmUp;
import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/** A table whose compactions are followed by a warm-up, and its twin, which is never compacted. */
final class WarmTable {
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int FILES = 3;

  private final MiniCluster cluster;
  private final TableName name;
  private final TableName twin;
  private final List<byte[]> families;
  private final int rows;
  private final Random random;
  private long timestamp = 1;

  /** Writes rows of 1 KB, overwrites some, deletes others, and reads all of it. */
  WarmTable(MiniCluster cluster, String name, String mode, int rows, String... families)
      throws IOException {
    this(cluster, name, mode, rows, family -> family, families);
  }

  /** The same with families that {@code form} has changed. */
  WarmTable(
      MiniCluster cluster,
      String name,
      String mode,
      int rows,
      UnaryOperator<ColumnFamilyDescriptorBuilder> form,
      String... families)
      throws IOException {
    this.cluster = cluster;
    this.name = TableName.valueOf(name);
    this.twin = TableName.valueOf(name + "-twin");
    this.families = List.of(families).stream().map(Bytes::toBytes).toList();
    this.rows = rows;
    this.random = new Random(Seed.get());
    create(this.name, mode, form);
    create(twin, "none", form);
    for (int file = 0; file < FILES; file++) {
      change(file == 0 ? rows : rows / 4);
      flush();
    }
    readAll();
  }

  private WarmTable(WarmTable original, TableName name) {
    this.cluster = original.cluster;
    this.name = name;
    this.twin = original.twin;
    this.families = original.families;
    this.rows = original.rows;
    this.random = original.random;
    this.timestamp = original.timestamp;
  }

  private void create(
      TableName table, String mode, UnaryOperator<ColumnFamilyDescriptorBuilder> form)
      throws IOException {
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(table)
            .setValue("hbase.hstore.compaction.min", "100")
            .setValue("ishbase.compaction.warmup", mode);
    for (byte[] family : families) {
      builder.setColumnFamily(
          form.apply(ColumnFamilyDescriptorBuilder.newBuilder(family).setBlocksize(16 << 10))
              .build());
    }
    cluster.util.getAdmin().createTable(builder.build());
  }

  byte[] row(int number) {
    return Bytes.toBytes(String.format("row%06d", number));
  }

  /** Puts {@code count} rows, the first ones of all if it is all, and deletes some. */
  void change(int count) throws IOException {
    List<Put> puts = new ArrayList<>();
    List<Delete> deletes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] row = row(count == rows ? i : random.nextInt(rows));
      byte[] value = new byte[1000];
      random.nextBytes(value);
      byte[] family = families.get(random.nextInt(families.size()));
      puts.add(new Put(row).addColumn(family, QUALIFIER, timestamp++, value));
      if (random.nextInt(10) == 0) {
        deletes.add(new Delete(row(random.nextInt(rows))).addFamily(family, timestamp++));
      }
    }
    for (TableName each : List.of(name, twin)) {
      try (Table table = cluster.connection().getTable(each)) {
        table.put(puts);
        table.delete(new ArrayList<>(deletes));
      }
    }
  }

  void delete(int fromRow, int toRow) throws IOException {
    for (TableName each : List.of(name, twin)) {
      try (Table table = cluster.connection().getTable(each)) {
        List<Delete> deletes = new ArrayList<>();
        for (int row = fromRow; row < toRow; row++) {
          Delete delete = new Delete(row(row));
          families.forEach(family -> delete.addFamily(family, timestamp));
          deletes.add(delete);
        }
        table.delete(deletes);
      }
    }
    timestamp++;
  }

  void flush() throws IOException {
    cluster.util.flush(name);
    cluster.util.flush(twin);
  }

  /**
   * Bulk-loads a file with newer values of some rows and a delete marker for each tenth of them.
   */
  void bulkLoad(int fromRow, int toRow) throws IOException {
    FileSystem fs = cluster.util.getTestFileSystem();
    byte[] family = families.get(0);
    long time = timestamp++;
    for (TableName each : List.of(name, twin)) {
      // The load takes it away.
      Path directory = cluster.util.getDataTestDirOnTestFS("bulk-" + each);
      try (HFile.Writer writer =
          HFile.getWriterFactory(
                  cluster.util.getConfiguration(), new CacheConfig(cluster.util.getConfiguration()))
              .withPath(fs, new Path(new Path(directory, Bytes.toString(family)), "loaded"))
              .withFileContext(new HFileContextBuilder().build())
              .create()) {
        for (int row = fromRow; row < toRow; row++) {
          writer.append(
              row % 10 == 0
                  ? new KeyValue(row(row), family, null, time, KeyValue.Type.DeleteFamily)
                  : new KeyValue(row(row), family, QUALIFIER, time, new byte[1000 + row % 7]));
        }
      }
      BulkLoadHFiles.create(cluster.util.getConfiguration()).bulkLoad(each, directory);
    }
  }

  /** A table of that name that has, or is to have, the same rows. */
  WarmTable named(String other) {
    return new WarmTable(this, TableName.valueOf(other));
  }

  TableName name() {
    return name;
  }

  TableName twin() {
    return twin;
  }

  List<HStore> stores() {
    return cluster.regions(name).stream().flatMap(region -> region.getStores().stream()).toList();
  }

  /** Files that are part of another region's, not counting those that were compacted. */
  long referenceFiles() {
    return stores().stream()
        .flatMap(store -> store.getStorefiles().stream())
        .filter(HStoreFile::isReference)
        .count();
  }

  /** Has the table compacted and waits for the commit. */
  void compact() throws IOException {
    cluster.util.getAdmin().majorCompact(name);
    MiniCluster.await(
        "the compaction of " + name,
        () -> stores().stream().allMatch(store -> store.getCompactedFilesCount() > 0));
  }

  /** The warm-up of the first store that has one, or null. */
  WarmUp warmUp() {
    return stores().stream()
        .map(store -> ((WarmUps.Owner) store).warmUps().current())
        .filter(current -> current != null)
        .findFirst()
        .orElse(null);
  }

  void awaitWarm() {
    MiniCluster.await("the warm-up of " + name, () -> warmUp() == null);
  }

  /** Nothing is left of warm-ups: all that was compacted may go, and nothing is half done. */
  void assertNothingIsHeld() throws IOException {
    MiniCluster.await(
        "references to go: " + cluster.referencedStores(name),
        () -> cluster.storeFileReferences(name) == 0);
    for (HStore store : stores()) {
      store.closeAndArchiveCompactedFiles();
      assertThat(store.getCompactedFilesCount()).as("%s", store).isZero();
      assertThat(CompactedTable.temporaryFiles(cluster, store.getHRegion())).isEmpty();
    }
  }

  private static List<String> read(Table table, Scan scan) throws IOException {
    List<String> cells = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        add(result, cells);
      }
    }
    return cells;
  }

  static void add(Result result, List<String> cells) {
    for (var cell : result.rawCells()) {
      cells.add(cell + " " + Bytes.hashCode(cell.getValueArray(), cell.getValueOffset(), 100));
    }
  }

  /** Compares what the scan finds in both tables. */
  void checkScan(Scan scan) throws IOException {
    try (Table table = cluster.connection().getTable(name);
        Table other = cluster.connection().getTable(twin)) {
      assertThat(read(table, scan)).as("%s of %s", scan, name).isEqualTo(read(other, scan));
    }
  }

  /** Scans everything, forwards and backwards, and gets some rows. */
  void check() throws IOException {
    checkScan(new Scan().setCaching(100));
    checkScan(new Scan().setReversed(true).setCaching(100));
    for (int i = 0; i < 20; i++) {
      checkGet(random.nextInt(rows));
    }
  }

  /** The same, and what is near a row, where reads go from one file to others. */
  void checkAround(int row) throws IOException {
    check();
    for (int each = row - 3; each <= row + 3; each++) {
      checkGet(each);
    }
    byte[] below = row(row - 40);
    byte[] above = row(row + 40);
    checkScan(new Scan().withStartRow(below).withStopRow(above));
    checkScan(new Scan().withStartRow(above).withStopRow(below).setReversed(true));
    checkScan(new Scan().withStopRow(below));
    checkScan(new Scan().withStartRow(above));
  }

  void checkGet(int row) throws IOException {
    List<String> found = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name);
        Table other = cluster.connection().getTable(twin)) {
      add(table.get(new Get(row(row))), found);
      add(other.get(new Get(row(row))), expected);
    }
    assertThat(found).as("row %s of %s", row, name).isEqualTo(expected);
  }

  /** Reads everything until the block cache has it: some write what they get in the background. */
  void awaitCached() {
    MiniCluster.await(
        "a warm block cache",
        () -> {
          try {
            return readAll() == 0;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** Reads everything once; the bytes that came from the file system. */
  long readAll() throws IOException {
    return readBefore(null);
  }

  /** Reads everything before {@code stopRow}; the bytes that came from the file system. */
  long readBefore(byte[] stopRow) throws IOException {
    Scan scan = new Scan().setScanMetricsEnabled(true).setCaching(100);
    // Positional reads all along: a stream would read ahead.
    scan.setReadType(Scan.ReadType.PREAD);
    if (stopRow != null) {
      scan.withStopRow(stopRow);
    }
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      while (scanner.next() != null) {
        // Only its metrics matter.
      }
      return scanner.getScanMetrics().bytesReadFromFs.get();
    }
  }
}
