package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.dist.Main;
import io.ishbase.plugin.metrics.TraceMetrics;
import io.ishbase.sim.trace.Conversion;
import io.ishbase.sim.trace.TraceFormat;
import io.ishbase.sim.trace.TraceReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a region server records of its clients, from the setting to the simulator's table. */
class AccessTraceTest {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final String SECRET = "a-value-that-nobody-is-to-see";

  /** Rows that are not there. */
  private static final String OTHERS = "else";

  private static final int ROWS = 4000;
  private static final int HOT = 1000;
  private static final int HOT_ROWS = 100;
  private static final int HOT_GETS = 5;
  private static final int SCAN_ROWS = 20;
  private static final int SCAN_EVERY = 40;

  private static MiniCluster cluster;

  @TempDir private Path dir;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> {});
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void whatClientsAskedIsRecordedAndReplayed() throws Exception {
    try (Table table = create()) {
      set("250");
      // The region looks at its files first.
      long before = TraceMetrics.get().recorded();
      MiniCluster.await(
          "the first operations",
          () -> {
            askForOthers(table);
            return TraceMetrics.get().recorded() > before;
          });
      long untilNow = TraceMetrics.get().recorded();
      ask(table);
      MiniCluster.await("the rest", () -> TraceMetrics.get().recorded() > untilNow);
      Path open = fetch("open");
      assertThat(read(open)).isNotEmpty();

      set("0");
      DistributedFileSystem hdfs = cluster.util.getDFSCluster().getFileSystem();
      FileStatus written = written();
      MiniCluster.await("the end of " + written, () -> isClosed(hdfs, written));
      long recorded = TraceMetrics.get().recorded();
      long dropped = TraceMetrics.get().dropped();
      ask(table);
      assertThat(TraceMetrics.get().recorded()).isEqualTo(recorded);
      assertThat(TraceMetrics.get().dropped()).isEqualTo(dropped);
      assertThat(written().getPath()).isEqualTo(written.getPath());
      assertThat(written.getPermission()).isEqualTo(new FsPermission("600"));
      assertThat(hdfs.getFileStatus(written.getPath().getParent()).getPermission())
          .isEqualTo(new FsPermission("700"));

      Path whole = fetch("whole");
      check(read(whole).stream().filter(entry -> !entry.row().startsWith(OTHERS)).toList());
      replay(whole);
    }
  }

  private static Table create() throws IOException {
    Table table =
        cluster.util.createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(2048).build())
                .build(),
            null);
    List<Put> puts = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      puts.add(put(row));
    }
    table.put(puts);
    cluster.util.flush(TABLE);
    return table;
  }

  private static byte[] key(int row) {
    return Bytes.toBytes(String.format("user%06d", row));
  }

  private static Put put(int row) {
    return new Put(key(row)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(SECRET));
  }

  private static void set(String perMille) throws Exception {
    cluster
        .util
        .getAdmin()
        .modifyTable(
            TableDescriptorBuilder.newBuilder(cluster.util.getAdmin().getDescriptor(TABLE))
                .setValue("ishbase.trace", perMille)
                .build());
    cluster.util.waitUntilNoRegionsInTransition();
  }

  /** Gets of all rows, more of some; a Put on each tenth, of which each twentieth is deleted. */
  private static void ask(Table table) throws IOException {
    for (int row = 0; row < ROWS; row += 100) {
      List<Get> gets = new ArrayList<>();
      for (int i = row; i < row + 100; i++) {
        gets.add(new Get(key(i)));
      }
      table.get(gets);
    }
    for (int i = 0; i < HOT_ROWS * HOT_GETS; i++) {
      table.get(new Get(key(HOT + i % HOT_ROWS)));
    }
    for (int row = 0; row < ROWS; row += SCAN_EVERY) {
      Scan scan = new Scan().withStartRow(key(row)).setLimit(SCAN_ROWS);
      assertThat(rows(table, scan)).isEqualTo(SCAN_ROWS);
    }
    for (int row = 0; row < ROWS; row += 10) {
      table.put(put(row));
    }
    for (int row = 0; row < ROWS; row += 20) {
      table.delete(new Delete(key(row)));
    }
  }

  private static void askForOthers(Table table) {
    try {
      for (int i = 0; i < ROWS; i += 10) {
        assertThat(table.get(new Get(Bytes.toBytes(String.format("%s%06d", OTHERS, i)))).isEmpty())
            .isTrue();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int rows(Table table, Scan scan) {
    try (ResultScanner results = table.getScanner(scan)) {
      int rows = 0;
      while (results.next() != null) {
        rows++;
      }
      return rows;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static FileStatus written() throws IOException {
    FileStatus[] all =
        cluster
            .util
            .getDFSCluster()
            .getFileSystem()
            .listStatus(
                new org.apache.hadoop.fs.Path(
                    cluster.util.getDefaultRootDirPath(), ".ishbase-trace"));
    assertThat(all).hasSize(1);
    return all[0];
  }

  private static boolean isClosed(DistributedFileSystem hdfs, FileStatus file) {
    try {
      return hdfs.isFileClosed(file.getPath());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A directory with the file. */
  private Path fetch(String name) throws IOException {
    Path local = Files.createDirectory(dir.resolve(name));
    try (var in = cluster.util.getDFSCluster().getFileSystem().open(written().getPath())) {
      Files.copy(in, local.resolve(written().getPath().getName()));
    }
    return local;
  }

  private static List<TraceEntry> read(Path from) throws IOException {
    List<TraceEntry> entries = new ArrayList<>();
    try (TraceReader reader = TraceFormat.RECORDED.open(from, "")) {
      for (TraceEntry entry = reader.next(); entry != null; entry = reader.next()) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private static Map<Integer, Long> counts(List<TraceEntry> entries, Operation operation) {
    return entries.stream()
        .filter(entry -> entry.operation() == operation)
        .collect(
            Collectors.groupingBy(
                entry -> Integer.parseInt(entry.row().substring(4)),
                TreeMap::new,
                Collectors.counting()));
  }

  private static void check(List<TraceEntry> entries) {
    assertThat(entries).allMatch(entry -> entry.table().equals("t"));
    assertThat(entries)
        .filteredOn(entry -> entry.operation() != Operation.SCAN)
        .allMatch(
            entry ->
                entry.length() == 1
                    && entry.cells() == 1
                    && entry.bytes()
                        == 10
                            + 1
                            + (entry.operation() == Operation.DELETE ? 0 : 1 + SECRET.length()));
    Map<Integer, Long> gets = counts(entries, Operation.GET);
    Set<Integer> chosen = gets.keySet();
    assertThat(chosen).hasSizeBetween(ROWS / 10, ROWS / 2);
    // Rows that lie together are recorded together.
    long borders = chosen.stream().filter(row -> !chosen.contains(row - 1)).count();
    assertThat(chosen.size() / borders).isGreaterThanOrEqualTo(20);
    // Of those that are, everything.
    assertThat(gets)
        .allSatisfy(
            (row, count) ->
                assertThat(count)
                    .isEqualTo(1 + (row >= HOT && row < HOT + HOT_ROWS ? HOT_GETS : 0)));
    assertThat(counts(entries, Operation.PUT))
        .isEqualTo(each(chosen.stream().filter(row -> row % 10 == 0).toList()));
    assertThat(counts(entries, Operation.DELETE))
        .isEqualTo(each(chosen.stream().filter(row -> row % 20 == 0).toList()));
    Set<Integer> scanned = new TreeSet<>();
    for (TraceEntry entry : entries) {
      if (entry.operation() == Operation.SCAN) {
        assertThat(entry.cells()).isEqualTo(entry.length());
        int first = Integer.parseInt(entry.row().substring(4));
        for (int row = first; row < first + entry.length(); row++) {
          assertThat(scanned.add(row)).as("row %d twice", row).isTrue();
        }
      }
    }
    assertThat(scanned)
        .containsExactlyElementsOf(
            chosen.stream().filter(row -> row % SCAN_EVERY < SCAN_ROWS).toList());
  }

  private static Map<Integer, Long> each(List<Integer> rows) {
    return rows.stream().collect(Collectors.toMap(row -> row, row -> 1L));
  }

  private void replay(Path whole) throws IOException {
    Path ordinals = dir.resolve("ordinals.trace");
    long count =
        new Conversion(TraceFormat.RECORDED, whole, "", Long.MAX_VALUE).write(ordinals, true);
    assertThat(count).isEqualTo(read(whole).size());
    assertThat(Files.readString(ordinals)).doesNotContain("user").doesNotContain(SECRET);
    try (var files = Files.list(whole)) {
      assertThat(files)
          .allSatisfy(file -> assertThat(Files.readString(file)).doesNotContain(SECRET));
    }
    for (Path trace : List.of(whole, ordinals)) {
      String format = trace.equals(whole) ? "recorded" : "ishbase";
      assertThat(
              new CommandLine(new Main())
                  .execute(
                      "sim",
                      "trace",
                      trace.toString(),
                      "--format",
                      format,
                      "--designs",
                      "B,auto",
                      "--out",
                      dir.resolve(format).toString()))
          .isZero();
      assertThat(dir.resolve(format)).isNotEmptyDirectory();
    }
  }
}
