package io.ishbase.dist;

import static io.ishbase.dist.Outcome.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.cluster.sample.ClusterSample;
import io.ishbase.cluster.sample.ClusterSampler;
import io.ishbase.cluster.sample.Moment;
import io.ishbase.cluster.sample.TableSample;
import io.ishbase.it.OwnJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.StartMiniClusterOption;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sim plan --cluster}, with a cluster that knows nothing of IS-HBase. */
@OwnJvm
class PlanOfClusterTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final TableName USERS = TableName.valueOf("users");
  private static final TableName EVENTS = TableName.valueOf("events");
  private static final int ROWS = 2_000;
  private static final int VALUE_BYTES = 1_000;
  private static final int GETS = 200;
  private static final int PUTS = 40;
  private static final int SCANS = 30;
  private static final int SCAN_ROWS = 10;
  private static final long DEADLINE_NANOS = 120_000_000_000L;

  private static HBaseTestingUtility util;
  private static String zooKeeper;

  @TempDir private Path dir;

  @BeforeAll
  static void start() throws Exception {
    util = new HBaseTestingUtility();
    util.getConfiguration().setInt("hbase.regionserver.info.port", 0);
    util.getConfiguration().setInt("dfs.replication", 2);
    util.startMiniCluster(
        StartMiniClusterOption.builder().numRegionServers(1).numDataNodes(2).build());
    zooKeeper = "localhost:" + util.getZkCluster().getClientPort();
    create(USERS, Compression.Algorithm.NONE, "user0500", "user1000");
    create(EVENTS, Compression.Algorithm.GZ, "user1500");
    try (Admin admin = util.getConnection().getAdmin()) {
      // HBase sums up the sizes of files once in a while.
      ClusterSampler sampler = new ClusterSampler(util.getConnection(), admin);
      for (long end = System.nanoTime() + DEADLINE_NANOS; !areSizesShown(sampler); ) {
        assertThat(System.nanoTime()).isLessThan(end);
        LockSupport.parkNanos(500_000_000L);
      }
    }
  }

  private static boolean areSizesShown(ClusterSampler sampler) throws IOException {
    Moment now = sampler.look();
    return sampler.between(now, now).tables().stream()
        .allMatch(
            table -> table.bytes() > ROWS * VALUE_BYTES / (table.name().equals("users") ? 1 : 4));
  }

  @AfterAll
  static void stop() throws Exception {
    util.shutdownMiniCluster();
  }

  private static void create(TableName name, Compression.Algorithm codec, String... splits)
      throws IOException {
    util.getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setCompressionType(codec)
                        .build())
                .build(),
            Stream.of(splits).map(Bytes::toBytes).toArray(byte[][]::new));
    List<Put> puts = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      puts.add(put(row));
    }
    try (Table table = util.getConnection().getTable(name)) {
      table.put(puts);
    }
    util.getAdmin().flush(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("user%04d", number));
  }

  private static Put put(int row) {
    byte[] value = new byte[VALUE_BYTES];
    byte[] noise = new byte[VALUE_BYTES / 2];
    new Random(row).nextBytes(noise);
    System.arraycopy(noise, 0, value, 0, noise.length);
    return new Put(row(row)).addColumn(FAMILY, FAMILY, value);
  }

  private static void get(Table table, int number) throws IOException {
    assertThat(table.get(new Get(row(number % ROWS))).isEmpty()).isFalse();
  }

  private static void scan(Table table, int number) throws IOException {
    try (ResultScanner rows =
        table.getScanner(new Scan().withStartRow(row(number % 1_000)).setLimit(SCAN_ROWS))) {
      assertThat(rows).hasSize(SCAN_ROWS);
    }
  }

  /** Nothing else happens in the cluster, so every count is the client's. */
  @Test
  void countsWhatClientsDidMeanwhile() throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(util.getConfiguration());
        Admin admin = connection.getAdmin();
        Table users = connection.getTable(USERS);
        Table events = connection.getTable(EVENTS)) {
      ClusterSampler sampler = new ClusterSampler(connection, admin);
      Moment before = sampler.look();
      for (int i = 0; i < GETS; i++) {
        get(users, i * 7);
      }
      for (int i = 0; i < PUTS; i++) {
        users.put(put(i));
      }
      for (int i = 0; i < SCANS; i++) {
        scan(events, i * 31);
      }
      // A server's page is some seconds old.
      ClusterSample seen = sampler.between(before, sampler.look());
      for (long end = System.nanoTime() + DEADLINE_NANOS; !isShown(seen); ) {
        assertThat(System.nanoTime()).as("%s", seen.tables()).isLessThan(end);
        LockSupport.parkNanos(500_000_000L);
        seen = sampler.between(before, sampler.look());
      }
      sampler.lookIntoRows(before);
      ClusterSample sample = sampler.between(before, sampler.look());
      TableSample ofUsers = table(seen, "users");
      TableSample ofEvents = table(seen, "events");
      assertThat(seen.tables()).hasSize(2);
      assertThat(ofUsers.regions()).isEqualTo(3);
      assertThat(ofUsers.reads()).isEqualTo(GETS);
      assertThat(ofUsers.writes()).isEqualTo(PUTS);
      assertThat(ofUsers.gets()).isEqualTo(GETS);
      assertThat(ofUsers.scans()).isZero();
      assertThat(ofEvents.regions()).isEqualTo(2);
      assertThat(ofEvents.writes()).isZero();
      assertThat(ofEvents.gets()).isZero();
      assertThat(ofEvents.scans()).isCloseTo(SCANS, within(1e-6));
      assertThat(ofEvents.scanRows()).isCloseTo(SCAN_ROWS, within(1.0));
      assertThat(ofUsers.bytes()).isGreaterThan(ROWS * VALUE_BYTES);
      assertThat(ofEvents.bytes()).isLessThan(0.7 * ofUsers.bytes());
      assertThat(table(sample, "users").rows().orElseThrow().mean())
          .isBetween((double) VALUE_BYTES, VALUE_BYTES + 50.0);

      List<String> lines = PlanOfCluster.lines(seen, "here");
      assertThat(lines)
          .contains("region.servers = 1", "storage.nodes = 2", "[table users]", "regions = 3")
          .contains(
              "# 200 rows read and 40 written in "
                  + lines.get(0).replaceFirst(".* within (.*)\\.", "$1"));
      assertThat(value(lines, "[table users]", "gets") * seen.seconds())
          .isCloseTo(GETS, within(0.001 * GETS));
      assertThat(value(lines, "[table users]", "puts") * seen.seconds())
          .isCloseTo(PUTS, within(0.001 * PUTS));
    }
  }

  private static boolean isShown(ClusterSample sample) {
    return table(sample, "users").kinds().map(TableSample.Kinds::isMeanwhile).orElse(false)
        && table(sample, "users").gets() == GETS
        && Math.abs(table(sample, "events").scans() - SCANS) < 1e-6;
  }

  private static TableSample table(ClusterSample sample, String name) {
    return sample.tables().stream()
        .filter(table -> table.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static double value(List<String> lines, String section, String name) {
    return lines.subList(lines.indexOf(section), lines.size()).stream()
        .filter(line -> line.startsWith(name + " = "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 3)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatIsWrittenGivesTheSamePage() throws Exception {
    Path file = dir.resolve("plan.conf");
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Void> client = CompletableFuture.runAsync(() -> ask(isOver));
    Outcome live;
    try {
      live =
          run(
              "sim",
              "plan",
              "--cluster",
              zooKeeper,
              "--seconds",
              "2",
              "--write",
              file.toString(),
              "--out",
              dir.toString());
    } finally {
      isOver.set(true);
      client.join();
    }
    assertThat(live.err()).doesNotContain("ishbase:");
    assertThat(live.code()).isZero();
    assertThat(live.out()).startsWith("Written: " + file + "\n");
    Outcome read = run("sim", "plan", file.toString(), "--out", dir.toString());
    assertThat(page(read)).isEqualTo(page(live)).contains("Gets that hit");
    assertThat(page(live)).contains("To measure next");
  }

  private static String page(Outcome outcome) {
    return outcome.out().replaceFirst("Written: .*\n", "").replaceFirst("Report: .*\n", "");
  }

  private static void ask(AtomicBoolean isOver) {
    try (Table users = util.getConnection().getTable(USERS);
        Table events = util.getConnection().getTable(EVENTS)) {
      for (int i = 0; !isOver.get(); i++) {
        get(users, i * 7);
        scan(events, i * 31);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Each is one line. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--cluster here; --cluster is HOST[,HOST...]:PORT[:/ZNODE] of its ZooKeeper, not 'here'",
        "--cluster here:0; --cluster is HOST",
        "--cluster here:65536; --cluster is HOST",
        "--cluster localhost:1; No HBase that answers this user has its ZooKeeper at localhost:1",
        "--cluster ZOOKEEPER:/no; ZooKeeper at localhost:",
        "--cluster ZOOKEEPER --seconds 0; --seconds is 1 or more, not 0",
        "--cluster ZOOKEEPER --write .; . is there already: name a new file",
        "--cluster ZOOKEEPER --write /none/f; Nothing can be written to /none: name a file",
        "FILE --write /tmp/f; --write goes with --cluster",
        "--cluster ZOOKEEPER FILE; Say which FILE, or --cluster ZOOKEEPER",
      })
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatIsWrongIsOneLine(String arguments, String message) {
    Outcome outcome = run(("sim plan " + arguments.replace("ZOOKEEPER", zooKeeper)).split(" "));
    assertThat(outcome.err()).startsWith("ishbase: " + message).hasLineCount(1);
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
  }
}
