package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a region server leaves of its segment cache, and the next one in its place finds. */
class RestartInPlaceTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 300;
  private static final int VALUE_BYTES = 20_000;

  /** Gets of these single rows and scans of the run are cached. */
  private static final List<Integer> SINGLE = List.of(0, 7, 11, 250, 299);

  private static final int RUN_FROM = 100;
  private static final int RUN_TO = 240;

  @TempDir private static Path home;
  private static Path directory;
  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    directory = home.resolve("cached");
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setLong("ishbase.cache.bytes", 64 << 20);
              conf.set("ishbase.cache.restart.directory", directory.toString());
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static Table create(String name) throws IOException {
    Table rows = create(builder(name));
    for (int i = 0; i < ROWS; i++) {
      put(rows, i, "v" + i);
    }
    cluster.util.getAdmin().flush(rows.getName());
    return rows;
  }

  private static TableDescriptorBuilder builder(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE);
  }

  private static Table create(TableDescriptorBuilder table) throws IOException {
    cluster.util.getAdmin().createTable(table.build());
    return cluster.connection().getTable(table.build().getTableName());
  }

  private static void drop(Table table) throws IOException {
    TableName name = table.getName();
    table.close();
    cluster.util.deleteTable(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private static void put(Table table, int row, String value) throws IOException {
    byte[] bytes = new byte[VALUE_BYTES];
    System.arraycopy(Bytes.toBytes(value), 0, bytes, 0, value.length());
    table.put(new Put(row(row)).addColumn(FAMILY, QUALIFIER, bytes));
  }

  private static String text(Result row) {
    return row.isEmpty() ? null : Bytes.toString(row.value()).replaceAll("\0.*", "");
  }

  private static String value(Table table, int row) throws IOException {
    return text(table.get(new Get(row(row))));
  }

  private static void read(Table table) throws IOException {
    for (int row : SINGLE) {
      assertThat(value(table, row)).isEqualTo("v" + row);
    }
    assertThat(value(table, ROWS + 50)).isNull();
    Scan scan = new Scan().withStartRow(row(RUN_FROM)).withStopRow(row(RUN_TO));
    try (ResultScanner scanner = table.getScanner(scan)) {
      List<String> values =
          StreamSupport.stream(scanner.spliterator(), false).map(RestartInPlaceTest::text).toList();
      assertThat(values)
          .isEqualTo(IntStream.range(RUN_FROM, RUN_TO).mapToObj(i -> "v" + i).toList());
    }
  }

  private static void stopServer() throws Exception {
    // Nothing is left by who has not looked for what there was before.
    MiniCluster.await("the end of all warm-ups", () -> InStorageMetrics.get().prewarming() == 0);
    cluster.util.getMiniHBaseCluster().stopRegionServer(0);
    cluster.util.getMiniHBaseCluster().waitOnRegionServer(0);
  }

  private static void startServer(Table table) throws Exception {
    cluster.util.getMiniHBaseCluster().startRegionServerAndWait(180_000);
    MiniCluster.await("the region", () -> !cluster.regions(table.getName()).isEmpty());
    MiniCluster.await("the end of all warm-ups", () -> InStorageMetrics.get().prewarming() == 0);
  }

  private static List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void whatWasCachedIsCachedAgain() throws Exception {
    Table table = create("again");
    read(table);
    stopServer();
    List<Path> left = left();
    assertThat(left).isNotEmpty();
    for (Path each : left) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
          .isEqualTo("rw-------");
    }
    InStorageMetrics metrics = InStorageMetrics.get();
    long fetched = metrics.prewarmBytes();
    long restored = metrics.restoredRows();
    startServer(table);
    assertThat(metrics.restoredRows() - restored).isEqualTo(SINGLE.size() + RUN_TO - RUN_FROM);
    assertThat(metrics.prewarmBytes()).as("from daemons").isEqualTo(fetched);
    long requests = metrics.requests();
    read(table);
    assertThat(metrics.requests()).as("requests").isEqualTo(requests);
    assertThat(value(table, 20)).isEqualTo("v20");
    assertThat(metrics.requests()).as("of what was not cached").isGreaterThan(requests);
    assertThat(NodesBean.checkCache()).isEmpty();
    assertThat(left()).isEmpty();
    drop(table);
  }

  /** What is in the memstore when the server is told to stop is flushed after that. */
  @Test
  void whatIsWrittenUntilTheEndIsCachedAsItIs() throws Exception {
    Table table = create("written");
    read(table);
    put(table, 7, "new");
    put(table, RUN_FROM, "new");
    put(table, ROWS, "more");
    stopServer();
    assertThat(left()).hasSize(2);
    InStorageMetrics metrics = InStorageMetrics.get();
    long restored = metrics.restoredRows();
    startServer(table);
    assertThat(metrics.restoredRows() - restored).isEqualTo(SINGLE.size() + RUN_TO - RUN_FROM);
    long requests = metrics.requests();
    assertThat(value(table, 7)).isEqualTo("new");
    assertThat(value(table, RUN_FROM)).isEqualTo("new");
    assertThat(value(table, 11)).isEqualTo("v11");
    assertThat(metrics.requests()).as("requests").isEqualTo(requests);
    assertThat(value(table, ROWS)).isEqualTo("more");
    assertThat(NodesBean.checkCache()).isEmpty();
    assertThat(left()).isEmpty();
    drop(table);
  }

  @Test
  void whatWasCachedOutlivesAStopOfTheWholeCluster() throws Exception {
    Table table = create("whole");
    read(table);
    put(table, 7, "new");
    table.close();
    cluster.util.shutdownMiniHBaseCluster();
    assertThat(left()).hasSize(2);
    long restored = InStorageMetrics.get().restoredRows();
    cluster.util.restartHBaseCluster(1);
    table = cluster.connection().getTable(TableName.valueOf("whole"));
    TableName name = table.getName();
    MiniCluster.await("the region", () -> !cluster.regions(name).isEmpty());
    MiniCluster.await("the end of all warm-ups", () -> InStorageMetrics.get().prewarming() == 0);
    assertThat(InStorageMetrics.get().restoredRows() - restored)
        .isEqualTo(SINGLE.size() + RUN_TO - RUN_FROM);
    assertThat(value(table, 7)).isEqualTo("new");
    assertThat(NodesBean.checkCache()).isEmpty();
    drop(table);
  }

  @Test
  void whatIsOfOtherFilesIsNotCached() throws Exception {
    Table table = create("other");
    read(table);
    stopServer();
    Path file = left().get(0);
    byte[] old = Files.readAllBytes(file);
    startServer(table);
    put(table, 7, "new");
    cluster.util.getAdmin().flush(table.getName());
    stopServer();
    Files.write(file, old);
    long restored = InStorageMetrics.get().restoredRows();
    startServer(table);
    assertThat(InStorageMetrics.get().restoredRows()).isEqualTo(restored);
    assertThat(value(table, 7)).isEqualTo("new");
    assertThat(NodesBean.checkCache()).isEmpty();
    assertThat(left()).isEmpty();
    drop(table);
  }

  /** A coprocessor of the same name gives the files other readers after the restart. */
  @Test
  void whatAReaderHidesNowIsNotCachedAsBefore() throws Exception {
    ReadingCoprocessorsTest.HidesRows.active = false;
    try {
      Table table =
          create(
              builder("hidden").setCoprocessor(ReadingCoprocessorsTest.HidesRows.class.getName()));
      int hidden = 90_000;
      put(table, hidden, "secret");
      cluster.util.getAdmin().flush(table.getName());
      assertThat(value(table, hidden)).isEqualTo("secret");
      stopServer();
      assertThat(left()).isNotEmpty();
      ReadingCoprocessorsTest.HidesRows.active = true;
      startServer(table);
      assertThat(text(table.get(MiniCluster.in("stock", new Get(row(hidden)))))).isNull();
      assertThat(value(table, hidden)).isNull();
      assertThat(left()).isEmpty();
      drop(table);
    } finally {
      ReadingCoprocessorsTest.HidesRows.active = true;
    }
  }

  /** Hadoop gives no time: nobody waits, and nothing is left. */
  @Test
  void nothingIsWrittenDownOnceClientsAreRefused() throws Exception {
    Table table = create("late");
    read(table);
    cluster
        .util
        .getMiniHBaseCluster()
        .getRegionServer(0)
        .getConfiguration()
        .set("hadoop.service.shutdown.timeout", "0s");
    stopServer();
    assertThat(left()).isEmpty();
    startServer(table);
    read(table);
    drop(table);
  }

  @Test
  void whatIsDamagedIsReadFromStorage() throws Exception {
    Table table = create("damaged");
    Random random = new Random(Seed.get());
    read(table);
    stopServer();
    Path file = left().get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    Files.write(file, bytes);
    startServer(table);
    read(table);
    assertThat(NodesBean.checkCache()).isEmpty();
    assertThat(left()).isEmpty();
    drop(table);
  }
}
