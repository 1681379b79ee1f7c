package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the segment cache has of a region that was hot elsewhere. */
@OwnJvm
class PrewarmingTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 300;
  private static final AtomicInteger TABLES = new AtomicInteger();

  /** Gets of these single rows and scans of the run make them hot. */
  private static final List<Integer> HOT = List.of(3, 7, 11, 250);

  private static final int RUN_FROM = 100;
  private static final int RUN_TO = 140;

  private static MiniCluster cluster;
  private TableName name;
  private Table table;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> conf.setLong("ishbase.cache.bytes", 16 << 20));
    cluster.util.getMiniHBaseCluster().startRegionServerAndWait(180_000);
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void createTable() throws IOException {
    name = TableName.valueOf("t" + TABLES.incrementAndGet());
    create("1800");
  }

  private void create(String periodSeconds) throws IOException {
    admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .setValue("ishbase.cache.prewarm.period", periodSeconds)
                .build());
    table = cluster.connection().getTable(name);
    for (int i = 0; i < ROWS; i++) {
      table.put(new Put(row(i)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes("v" + i)));
    }
    admin().flush(name);
  }

  @AfterEach
  void dropTable() throws IOException {
    table.close();
    cluster.util.deleteTable(name);
  }

  private static Admin admin() throws IOException {
    return cluster.util.getAdmin();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private String value(int row) throws IOException {
    return Bytes.toString(table.get(new Get(row(row))).value());
  }

  private void readHotRows() throws IOException {
    for (int row : HOT) {
      assertThat(value(row)).isEqualTo("v" + row);
    }
    assertThat(scanRun())
        .isEqualTo(IntStream.range(RUN_FROM, RUN_TO).mapToObj(i -> "v" + i).toList());
  }

  private List<String> scanRun() throws IOException {
    Scan scan = new Scan().withStartRow(row(RUN_FROM)).withStopRow(row(RUN_TO));
    try (ResultScanner scanner = table.getScanner(scan)) {
      return StreamSupport.stream(scanner.spliterator(), false)
          .map(Result::value)
          .map(Bytes::toString)
          .toList();
    }
  }

  private void makeHot() throws IOException {
    readHotRows();
    readHotRows();
    value(50);
  }

  private static long requests(Callable<?> read) throws Exception {
    long before = InStorageMetrics.get().requests();
    read.call();
    return InStorageMetrics.get().requests() - before;
  }

  /** What a run ends with is no entry: all stores' turns are over. */
  private void awaitHotRows() {
    MiniCluster.await(
        "hot rows",
        () ->
            cached() >= HOT.size() + RUN_TO - RUN_FROM && InStorageMetrics.get().prewarming() == 0);
  }

  private HRegion region() {
    return cluster.regions(name).get(0);
  }

  private void move() throws Exception {
    RegionInfo region = region().getRegionInfo();
    ServerName from = server(region);
    ServerName to =
        admin().getRegionServers().stream()
            .filter(each -> !each.equals(from))
            .findAny()
            .orElseThrow();
    admin().move(region.getEncodedNameAsBytes(), to);
    cluster.util.waitUntilNoRegionsInTransition();
    MiniCluster.await("the move to " + to, () -> server(region).equals(to));
  }

  private static ServerName server(RegionInfo region) {
    return cluster.util.getMiniHBaseCluster().getRegionServerThreads().stream()
        .map(thread -> thread.getRegionServer())
        .filter(server -> server.getRegion(region.getEncodedName()) != null)
        .map(HRegionServer::getServerName)
        .findAny()
        .orElse(ServerName.valueOf("nowhere", 0, 0));
  }

  /** Entries that are cached of the table's regions. */
  private long cached() {
    return NodesBean.cachedStores().stream()
        .filter(line -> line.startsWith(name + "/"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*\\bentries=(\\d+).*", "$1")))
        .sum();
  }

  private Path hotRowsFile() {
    return new Path(region().getRegionFileSystem().getRegionDir(), ".ishbase-hot-f");
  }

  private static FileSystem fs() throws IOException {
    return cluster.util.getTestFileSystem();
  }

  @Test
  void aMovedRegionAnswersHotReadsWithoutStorage() throws Exception {
    makeHot();
    assertThat(requests(() -> value(50))).isZero();
    move();
    awaitHotRows();
    assertThat(
            requests(
                () -> {
                  readHotRows();
                  return null;
                }))
        .isZero();
    assertThat(requests(() -> value(51))).isEqualTo(1);
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  @Test
  void rowsThatWereWrittenSinceAreFetchedAsTheyAre() throws Exception {
    makeHot();
    move();
    awaitHotRows();
    table.put(new Put(row(3)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes("new")));
    // The rows are hot since they were before, though nobody has read them here.
    move();
    awaitHotRows();
    assertThat(requests(() -> assertThat(value(3)).isEqualTo("new"))).isZero();
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  @Test
  void daughtersOfASplitGetTheirShares() throws Exception {
    makeHot();
    cluster.split(name, row(120));
    awaitHotRows();
    assertThat(
            requests(
                () -> {
                  readHotRows();
                  return null;
                }))
        .isZero();
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  @Test
  void aDamagedFileIsIgnored() throws Exception {
    makeHot();
    admin().disableTable(name);
    Path file = onlyHotRowsFile();
    byte[] bytes = new byte[(int) fs().getFileStatus(file).getLen()];
    try (var in = fs().open(file)) {
      in.readFully(bytes);
    }
    bytes[bytes.length / 2] ^= 1;
    overwrite(file, bytes);
    assertNothingIsFetched();
  }

  @Test
  void whatIsNoSuchFileIsIgnored() throws Exception {
    makeHot();
    admin().disableTable(name);
    Path file = onlyHotRowsFile();
    overwrite(file, new byte[1 << 20]);
    assertNothingIsFetched();
    admin().disableTable(name);
    fs().delete(file, false);
    fs().mkdirs(file);
    assertNothingIsFetched();
  }

  private Path onlyHotRowsFile() throws IOException {
    Path tableDir = CommonFSUtils.getTableDir(cluster.util.getDefaultRootDirPath(), name);
    var files = fs().globStatus(new Path(tableDir, "*/.ishbase-hot-f"));
    assertThat(files).hasSize(1);
    return files[0].getPath();
  }

  private static void overwrite(Path file, byte[] bytes) throws IOException {
    try (FSDataOutputStream out = fs().create(file, true)) {
      out.write(bytes);
    }
  }

  private void assertNothingIsFetched() throws Exception {
    long before = InStorageMetrics.get().prewarmBytes();
    admin().enableTable(name);
    TableName first = name;
    Table firstTable = table;
    name = TableName.valueOf("t" + TABLES.incrementAndGet());
    create("0");
    makeHot();
    move();
    awaitHotRows();
    long ofOther = InStorageMetrics.get().prewarmBytes() - before;
    dropTable();
    name = first;
    table = firstTable;
    assertThat(ofOther).isPositive();
    assertThat(cached()).isZero();
    readHotRows();
  }

  @Test
  void anOpenStoreWritesDownWhatIsHotNowAndThen() throws Exception {
    dropTable();
    create("1");
    makeHot();
    Path file = hotRowsFile();
    MiniCluster.await(
        "a file while the region is open",
        () -> {
          try {
            return fs().exists(file);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void aStoreThatIsNotToBePrewarmedIsNot() throws Exception {
    admin()
        .modifyTable(
            TableDescriptorBuilder.newBuilder(admin().getDescriptor(name))
                .setValue("ishbase.cache.prewarm", "0")
                .build());
    makeHot();
    Path file = hotRowsFile();
    move();
    assertThat(fs().exists(file)).isFalse();
  }
}
