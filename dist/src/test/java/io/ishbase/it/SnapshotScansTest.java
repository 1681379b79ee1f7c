package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.dist.Main;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.snapshot.InStorageSnapshotScanner;
import io.ishbase.plugin.snapshot.SnapshotRegion;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that a client reads from the daemons, beside HBase's scanner of snapshots. */
class SnapshotScansTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] KIND = Bytes.toBytes("kind");
  private static final byte[] VALUE = Bytes.toBytes("value");
  private static final byte[] RARE = Bytes.toBytes("rare");
  private static final byte[] USUAL = Bytes.toBytes("usual");
  private static final Path RESTORED = new Path("/restored");

  private static MiniCluster cluster;
  private static ProxiedDaemons daemons;

  /** What the command says at its end. */
  private static final Pattern SAID =
      Pattern.compile("(\\d+) rows; \\d+ bytes from storage daemons, (\\d+) from HDFS");

  @TempDir private java.nio.file.Path site;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              // Reads of the tables themselves are HBase's.
              conf.set(MiniCluster.READ, MiniCluster.STOCK);
            });
    daemons = ProxiedDaemons.start(cluster);
    MiniCluster.await("the daemons", () -> nodes().answering().size() == 2);
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  @AfterAll
  static void stop() throws Exception {
    daemons.close();
    cluster.close();
  }

  @BeforeEach
  void connect() {
    daemons.set(FaultyProxy.Mode.PASS);
    nodes().health().forgetFailures();
  }

  @AfterEach
  void nothingIsLeftOfTheLinks() throws IOException {
    FileSystem fs = cluster.util.getTestFileSystem();
    if (fs.exists(RESTORED)) {
      assertThat(fs.listStatus(RESTORED)).isEmpty();
    }
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("row%06d", row));
  }

  private static TableName table(String name, String... settings) throws IOException {
    TableName table = TableName.valueOf(name);
    TableDescriptorBuilder descriptor =
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(3).build())
            .setCompactionEnabled(false);
    for (int i = 0; i < settings.length; i += 2) {
      descriptor.setValue(settings[i], settings[i + 1]);
    }
    cluster.util.getAdmin().createTable(descriptor.build(), new byte[][] {row(500)});
    return table;
  }

  /** Three files of each region, with older versions and deletes, and cells in the memstore. */
  private static void fill(TableName name, int rows) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      for (int file = 0; file < 4; file++) {
        List<Put> puts = new ArrayList<>();
        List<Delete> deletes = new ArrayList<>();
        for (int row = file; row < rows; row += 1 + file) {
          puts.add(
              new Put(row(row), 1000L + file)
                  .addColumn(FAMILY, KIND, row % 100 == 42 ? RARE : USUAL)
                  .addColumn(FAMILY, VALUE, Bytes.toBytes("value " + row + " of file " + file)));
          if (row % 7 == file) {
            deletes.add(new Delete(row(row)).addColumn(FAMILY, VALUE, 1000L + file - 1));
          }
          if (row % 11 == file) {
            deletes.add(new Delete(row(row), 1000L + file));
          }
        }
        table.put(puts);
        table.delete(deletes);
        if (file < 3) {
          cluster.util.flush(name);
        }
      }
    }
  }

  private static List<Scan> scans() throws IOException {
    return List.of(
        new Scan(),
        new Scan().readAllVersions(),
        new Scan().withStartRow(row(123)).withStopRow(row(877)).readVersions(2),
        new Scan().addColumn(FAMILY, VALUE).setLimit(77),
        new Scan().setTimeRange(1001, 1003),
        new Scan()
            .setFilter(new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(KIND))),
        new Scan().setFilter(new FirstKeyOnlyFilter()),
        new Scan().setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(RARE))),
        new Scan().setFilter(rare()),
        new Scan().setRaw(true).readAllVersions());
  }

  private static SingleColumnValueFilter rare() {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(FAMILY, KIND, CompareOperator.EQUAL, RARE);
    filter.setFilterIfMissing(true);
    return filter;
  }

  private static List<String> rows(ResultScanner scanner) throws IOException {
    return rows(scanner, Integer.MAX_VALUE);
  }

  private static List<String> rows(ResultScanner scanner, int limit) throws IOException {
    List<String> rows = new ArrayList<>();
    while (rows.size() < limit) {
      Result row = scanner.next();
      if (row == null) {
        break;
      }
      StringBuilder text = new StringBuilder();
      for (Cell cell : row.rawCells()) {
        text.append(cell).append('=').append(Bytes.toStringBinary(valueOf(cell))).append(' ');
      }
      rows.add(text.toString());
    }
    return rows;
  }

  private static byte[] valueOf(Cell cell) {
    return Bytes.copy(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  /** A client's, which names no class of ours. */
  private static Configuration client() {
    Configuration conf = new Configuration(cluster.util.getConfiguration());
    conf.unset("hbase.hregion.impl");
    return conf;
  }

  private static List<String> ours(String snapshot, Scan scan) throws IOException {
    try (ResultScanner scanner = new InStorageSnapshotScanner(client(), RESTORED, snapshot, scan)) {
      return rows(scanner);
    }
  }

  private static List<String> hbases(Configuration conf, String snapshot, Scan scan)
      throws IOException {
    try (ResultScanner scanner =
        new TableSnapshotScanner(new Configuration(conf), RESTORED, snapshot, new Scan(scan))) {
      return rows(scanner);
    }
  }

  /** Sequence ids differ: the rows of a live table have those of the memstore, too. */
  private static List<String> live(TableName name, Scan scan) throws IOException {
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      return withoutSequenceIds(rows(scanner));
    }
  }

  private static List<String> withoutSequenceIds(List<String> rows) {
    return rows.stream().map(row -> row.replaceAll("/seqid=\\d+", "")).toList();
  }

  private static void snapshot(String snapshot, TableName table) throws IOException {
    cluster.util.getAdmin().snapshot(snapshot, table);
  }

  private static void assertReads(String snapshot, List<List<String>> wanted) throws IOException {
    InStorageMetrics metrics = InStorageMetrics.get();
    List<Scan> scans = scans();
    for (int i = 0; i < scans.size(); i++) {
      long requests = metrics.requests();
      long fallbacks = metrics.fallbacks();
      assertThat(ours(snapshot, scans.get(i))).as("%s", scans.get(i)).isEqualTo(wanted.get(i));
      assertThat(metrics.requests()).as("of " + scans.get(i)).isGreaterThan(requests);
      assertThat(metrics.fallbacks()).as("of " + scans.get(i)).isEqualTo(fallbacks);
    }
  }

  @Test
  void hasTheRowsOfHBasesScannerWhateverBecomesOfTheTable() throws Exception {
    TableName name = table("changing");
    fill(name, 1000);
    snapshot("before", name);
    List<List<String>> wanted = new ArrayList<>();
    for (Scan scan : scans()) {
      List<String> rows = hbases(client(), "before", scan);
      assertThat(rows).as("%s", scan).isNotEmpty();
      assertThat(withoutSequenceIds(rows)).as("live: %s", scan).isEqualTo(live(name, scan));
      wanted.add(rows);
    }
    assertReads("before", wanted);

    fill(name, 700);
    cluster.util.flush(name);
    assertReads("before", wanted);

    cluster.util.compact(name, true);
    for (HRegion region : cluster.regions(name)) {
      for (HStore store : region.getStores()) {
        assertThat(store.getStorefilesCount()).isEqualTo(1);
        store.closeAndArchiveCompactedFiles();
      }
    }
    assertReads("before", wanted);

    cluster.util.deleteTable(name);
    assertReads("before", wanted);
    assertThat(cluster.regions(name)).isEmpty();
  }

  @Test
  void aJobNamesTheRegionClass() throws Exception {
    TableName name = table("job");
    fill(name, 300);
    snapshot("of_job", name);
    Scan scan = new Scan().setFilter(rare());
    List<String> wanted = hbases(client(), "of_job", scan);
    InStorageMetrics metrics = InStorageMetrics.get();
    long before = metrics.requests();
    assertThat(hbases(cluster.util.getConfiguration(), "of_job", scan))
        .as("with the servers' configuration")
        .isEqualTo(wanted);
    assertThat(metrics.requests()).isEqualTo(before);
    Configuration conf = client();
    conf.set("hbase.hregion.impl", SnapshotRegion.class.getName());
    conf.set(MiniCluster.READ, MiniCluster.IN_STORAGE);
    assertThat(hbases(conf, "of_job", scan)).isEqualTo(wanted);
    assertThat(metrics.requests()).isGreaterThan(before);
  }

  /** As docs/operations.md says of the servers' configuration. */
  @Test
  void withoutOurJarsAJobNamesHBasesClasses() throws Exception {
    TableName name = table("no_jars");
    fill(name, 300);
    snapshot("of_no_jars", name);
    List<String> wanted = hbases(client(), "of_no_jars", new Scan());
    Configuration conf = new Configuration(cluster.util.getConfiguration());
    conf.set(
        "hbase.hstore.defaultengine.compactor.class",
        "io.ishbase.plugin.compaction.OffloadingCompactor");
    conf.setClassLoader(
        new ClassLoader(SnapshotScansTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
            if (type.startsWith("io.ishbase.")) {
              throw new ClassNotFoundException(type);
            }
            return super.loadClass(type, resolve);
          }
        });
    assertThatThrownBy(() -> hbases(conf, "of_no_jars", new Scan()))
        .hasStackTraceContaining("Class io.ishbase.plugin.regionserver.InStorageRegion not found");
    // HBase leaves it behind where it fails so early.
    cluster.util.getTestFileSystem().delete(RESTORED, true);
    conf.set("hbase.hregion.impl", "org.apache.hadoop.hbase.regionserver.HRegion");
    conf.set(
        "hbase.hstore.defaultengine.compactor.class",
        "org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor");
    assertThat(hbases(conf, "of_no_jars", new Scan())).isEqualTo(wanted);
  }

  @Test
  void aTableThatSaysStockIsReadAsHBaseDoes() throws Exception {
    TableName name = table("stock_only", MiniCluster.READ, MiniCluster.STOCK);
    fill(name, 300);
    snapshot("of_stock", name);
    long requests = InStorageMetrics.get().requests();
    assertThat(ours("of_stock", new Scan())).isEqualTo(hbases(client(), "of_stock", new Scan()));
    assertThat(InStorageMetrics.get().requests()).isEqualTo(requests);
  }

  /** What says which half a daemon does not see. */
  @Test
  void halvesOfFilesAreReadHere() throws Exception {
    TableName name = table("halves");
    fill(name, 400);
    cluster.util.flush(name);
    cluster.split(name, row(200));
    snapshot("of_halves", name);
    long halves = InStorageMetrics.get().fallbacks(Reason.RESTORED_HALF);
    Scan scan = new Scan().readAllVersions();
    assertThat(ours("of_halves", scan)).isEqualTo(hbases(client(), "of_halves", scan));
    assertThat(InStorageMetrics.get().fallbacks(Reason.RESTORED_HALF)).isGreaterThan(halves);
    assertThat(nodes().quarantined()).isEmpty();
  }

  @Test
  void goesOnWithoutDaemons() throws Exception {
    TableName name = table("killed");
    fill(name, 1000);
    snapshot("of_killed", name);
    Scan scan = new Scan().readAllVersions();
    scan.setAttribute("ishbase.read", Bytes.toBytes("in-storage"));
    List<String> wanted = hbases(client(), "of_killed", scan);
    InStorageMetrics metrics = InStorageMetrics.get();
    Configuration conf = client();
    conf.setInt("ishbase.batch.first.bytes", 1024);
    conf.setInt("ishbase.batch.max.bytes", 4096);
    long requests = metrics.requests();
    long unreachable = metrics.fallbacks(Reason.UNREACHABLE);
    try (ResultScanner scanner = new InStorageSnapshotScanner(conf, RESTORED, "of_killed", scan)) {
      List<String> rows = rows(scanner, 10);
      assertThat(metrics.requests()).isGreaterThan(requests);
      daemons.set(FaultyProxy.Mode.CUT);
      rows.addAll(rows(scanner));
      assertThat(rows).isEqualTo(wanted);
    }
    assertThat(metrics.fallbacks(Reason.UNREACHABLE)).isGreaterThan(unreachable);
  }

  @Test
  void aSnapshotThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> ours("nope", new Scan()))
        .isInstanceOf(SnapshotDoesNotExistException.class)
        .hasMessageContaining("There is no snapshot 'nope' below ");
  }

  /** Of a file that is large enough for its index not to count. */
  @Test
  void whatAFilterLeavesOutDoesNotTravel() throws Exception {
    TableName name = table("filtered");
    byte[] value = new byte[1000];
    try (Table table = cluster.connection().getTable(name)) {
      for (int from = 500; from < 60_500; from += 1000) {
        List<Put> puts = new ArrayList<>();
        for (int row = from; row < from + 1000; row++) {
          puts.add(
              new Put(row(row))
                  .addColumn(FAMILY, KIND, row % 100 == 42 ? RARE : USUAL)
                  .addColumn(FAMILY, VALUE, value));
        }
        table.put(puts);
      }
    }
    cluster.util.flush(name);
    snapshot("of_filtered", name);
    cluster.util.deleteTable(name);
    long returned = 0;
    try (ResultScanner scanner =
        new TableSnapshotScanner(client(), RESTORED, "of_filtered", new Scan().setFilter(rare()))) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        for (Cell cell : row.rawCells()) {
          returned += PrivateCellUtil.estimatedSerializedSizeOf(cell);
        }
      }
    }
    long requests = requestsOfRegionServer();
    Matcher said =
        said(
            "snapshot-scan",
            "of_filtered",
            "--count",
            "--filter",
            "SingleColumnValueFilter('f', 'kind', =, 'binary:rare', true, true)",
            "--restore-dir",
            RESTORED.toString());
    long fromHdfs = Long.parseLong(said.group(2));
    assertThat(said.group(1)).isEqualTo("600");
    assertThat(fromHdfs).as("files are opened").isPositive();
    assertThat((fromDaemons + fromHdfs) / (double) returned)
        .as("%s bytes of daemons and %s of HDFS for %s", fromDaemons, fromHdfs, returned)
        .isLessThanOrEqualTo(1.1);
    assertThat(requestsOfRegionServer()).as("of users' tables").isEqualTo(requests);
  }

  /** Bytes that the command had from daemons when it ran last. */
  private long fromDaemons;

  /** What the command says at its end, of a process of its own: rows, and bytes from HDFS. */
  private Matcher said(String... arguments) throws Exception {
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml")) {
      try (OutputStream xml = Files.newOutputStream(site.resolve(file))) {
        client().writeXml(xml);
      }
    }
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--conf", site.toString()));
    String text = run(all);
    // It waits five seconds for one, which a busy machine may need to begin.
    for (int more = 0; more < 10 && text.contains("No storage daemon answers"); more++) {
      text = run(all);
    }
    Matcher said = SAID.matcher(text);
    assertThat(said.find()).as(text).isTrue();
    return said;
  }

  private String run(List<String> arguments) throws Exception {
    long before = bytesFromDaemons();
    Process process =
        new ProcessBuilder(
                ChildJvm.command(site, List.of("-Xmx512m"), Main.class.getName(), arguments))
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    fromDaemons = bytesFromDaemons() - before;
    return text;
  }

  private static long bytesFromDaemons() {
    return daemons.bytesToClient();
  }

  private static long requestsOfRegionServer() {
    return cluster.util.getMiniHBaseCluster().getRegionServer(0).getRegions().stream()
        .filter(region -> !region.getRegionInfo().getTable().isSystemTable())
        .mapToLong(region -> region.getReadRequestsCount() + region.getWriteRequestsCount())
        .sum();
  }
}
