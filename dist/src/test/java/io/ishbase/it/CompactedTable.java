package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;

/** A table of one region and family with several files, and what must be true whatever happens. */
final class CompactedTable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int FILES = 4;
  private static final int VALUE_BYTES = 1000;

  private static final int NONE = -1;

  private final MiniCluster cluster;
  private final TableName name;
  private final Map<Integer, Integer> expected = new TreeMap<>();
  private final int rows;
  private final int largeRow;
  private final int largeBytes;
  private int changes;

  /** Writes {@code rows} rows of 1 KB, overwrites some and deletes others. */
  CompactedTable(MiniCluster cluster, String name, int rows) throws IOException {
    this(cluster, name, rows, Map.of());
  }

  /** The same, of a table that has {@code settings}. */
  CompactedTable(MiniCluster cluster, String name, int rows, Map<String, String> settings)
      throws IOException {
    this(cluster, name, rows, NONE, 0, settings);
  }

  /** The same, with one row, which is never deleted, of another size. */
  CompactedTable(MiniCluster cluster, String name, int rows, int largeRow, int largeBytes)
      throws IOException {
    this(cluster, name, rows, largeRow, largeBytes, Map.of());
  }

  CompactedTable(
      MiniCluster cluster,
      String name,
      int rows,
      int largeRow,
      int largeBytes,
      Map<String, String> settings)
      throws IOException {
    this.cluster = cluster;
    this.name = TableName.valueOf(name);
    this.rows = rows;
    this.largeRow = largeRow;
    this.largeBytes = largeBytes;
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(this.name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            // None but those that a test asks for.
            .setValue("hbase.hstore.compaction.min", "100");
    settings.forEach(builder::setValue);
    cluster.util.getAdmin().createTable(builder.build());
    for (int file = 0; file < FILES; file++) {
      change();
    }
  }

  /** Overwrites some rows, deletes others, and flushes. */
  void change() throws IOException {
    int version = changes++;
    int step = 1 + version % FILES;
    try (Table table = cluster.connection().getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (int row = version % FILES; row < rows; row += step) {
        if (row != largeRow) {
          puts.add(put(row, version));
        }
      }
      if (largeRow != NONE) {
        puts.add(put(largeRow, version));
      }
      table.put(puts);
      List<Delete> deletes = new ArrayList<>();
      for (int row = version % FILES; row < rows; row += 10) {
        if (row != largeRow) {
          deletes.add(new Delete(row(row)));
          expected.remove(row);
        }
      }
      table.delete(deletes);
    }
    cluster.util.flush(name);
  }

  private Put put(int row, int version) {
    expected.put(row, version);
    return new Put(row(row)).addColumn(FAMILY, QUALIFIER, value(row, version));
  }

  private CompactedTable(CompactedTable original, String name) {
    this.cluster = original.cluster;
    this.name = TableName.valueOf(name);
    this.rows = original.rows;
    this.largeRow = original.largeRow;
    this.largeBytes = original.largeBytes;
    this.expected.putAll(original.expected);
  }

  /** A table of that name that has, or is to have, the same rows. */
  CompactedTable named(String other) {
    return new CompactedTable(this, other);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%08d", number));
  }

  private int valueBytes(int row) {
    return row == largeRow ? largeBytes : VALUE_BYTES;
  }

  private byte[] value(int row, int version) {
    byte[] value = new byte[valueBytes(row)];
    Arrays.fill(value, (byte) version);
    Bytes.putInt(value, 0, row);
    return value;
  }

  TableName name() {
    return name;
  }

  HRegion region() {
    return cluster.regions(name).get(0);
  }

  HStore store() {
    return region().getStore(FAMILY);
  }

  /** Asks for a major compaction and returns at once. */
  void requestMajorCompaction() throws IOException {
    cluster.util.getAdmin().majorCompact(name);
  }

  /** Until one that is asked for then is not left out: HBase does so while files are compacted. */
  void awaitCompacted() {
    MiniCluster.await(
        "the compaction of " + name,
        () -> store().getStorefilesCount() == 1 && compactionState() == CompactionState.NONE);
  }

  private CompactionState compactionState() {
    try {
      return cluster.util.getAdmin().getCompactionState(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a compaction has written that share of the cells that it will write. */
  void awaitProgress(double share) {
    MiniCluster.await(
        "the compaction to reach " + share,
        () -> {
          if (store().getStorefilesCount() == 1) {
            throw new AssertionError("The compaction was over before it was seen at " + share);
          }
          return store().getCompactionProgress().getCurrentCompactedKvs()
              >= Math.max(1, share * expected.size());
        });
  }

  /** Every cell is there once, and nothing else. */
  void check() throws IOException {
    Map<Integer, Integer> found = new TreeMap<>();
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().readVersions(10))) {
      for (Result result : scanner) {
        assertThat(result.size()).isEqualTo(1);
        byte[] value = result.getValue(FAMILY, QUALIFIER);
        int row = Bytes.toInt(value);
        assertThat(value).hasSize(valueBytes(row));
        assertThat(result.getRow()).isEqualTo(row(row));
        found.put(row, (int) value[value.length - 1]);
      }
    }
    assertThat(found).isEqualTo(expected);
  }

  /** Everything below the region's {@code .tmp} that is a file. */
  List<String> temporaryFiles() {
    return temporaryFiles(cluster, region());
  }

  static List<String> temporaryFiles(MiniCluster cluster, HRegion region) {
    List<String> files = new ArrayList<>();
    Path temp = region.getRegionFileSystem().getTempDir();
    try {
      collect(temp.getFileSystem(cluster.util.getConfiguration()), temp, files);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** The HFiles in the store's directory, whoever knows of them. */
  List<String> storedFiles() throws IOException {
    Path directory = region().getRegionFileSystem().getStoreDir(Bytes.toString(FAMILY));
    return Arrays.stream(
            directory.getFileSystem(cluster.util.getConfiguration()).listStatus(directory))
        .filter(FileStatus::isFile)
        .map(status -> status.getPath().getName())
        .sorted()
        .toList();
  }

  /** Closes the region and opens it again. */
  void openAgain() throws IOException {
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
  }

  /** The attempts that have a directory. */
  long attempts() {
    Path temp = region().getRegionFileSystem().getTempDir();
    try {
      return Arrays.stream(temp.getFileSystem(cluster.util.getConfiguration()).listStatus(temp))
          .filter(status -> status.getPath().getName().startsWith("ishbase-compaction-"))
          .count();
    } catch (FileNotFoundException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void collect(FileSystem fs, Path directory, List<String> files)
      throws IOException {
    try {
      for (FileStatus status : fs.listStatus(directory)) {
        if (status.isDirectory()) {
          collect(fs, status.getPath(), files);
        } else {
          files.add(status.getPath().toString());
        }
      }
    } catch (FileNotFoundException e) {
      // Nothing there.
    }
  }
}
