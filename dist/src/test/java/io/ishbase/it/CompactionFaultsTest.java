package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.regionserver.StorageNodes;
import io.ishbase.plugin.regionserver.compaction.CompactionMetrics;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers, region servers and networks that fail in the middle of a compaction, at its begin, half
 * way and in its last block. No cell is lost or doubled, no store is stuck, no file is left over,
 * and the compaction is done in the end.
 */
class CompactionFaultsTest {
  private static final int ROWS = 2000;
  private static final int LEASE_MILLIS = 2_000;

  /** Four seconds for a compaction; its region server asks eight times. */
  private static final int RATE = 350_000;

  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.rpc.timeout", 1_000);
              conf.setInt("ishbase.compaction.lease", LEASE_MILLIS);
              conf.setLong("hbase.hstore.compaction.throughput.lower.bound", RATE);
              conf.setLong("hbase.hstore.compaction.throughput.higher.bound", RATE);
              conf.setLong("hbase.hstore.compaction.throughput.offpeak", RATE);
              conf.setInt("hbase.regionserver.throughput.controller.compaction.check", 1 << 16);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @AfterEach
  void stopDaemons() throws Exception {
    for (Issn daemon : cluster.daemons()) {
      daemon.close();
    }
    cluster.daemons().clear();
  }

  private static CompactedTable table() throws Exception {
    return new CompactedTable(cluster, "faults" + TABLES.incrementAndGet(), ROWS);
  }

  private static DataNode dataNode() {
    return cluster.util.getDFSCluster().getDataNodes().get(0);
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  private static int daemons() {
    return nodes().live().size();
  }

  private DaemonProcess worker() throws Exception {
    MiniCluster.await("the last worker to go", () -> daemons() == 0);
    Configuration conf = cluster.daemonConf(dataNode());
    // A killed one is soon taken off the list.
    conf.setInt("zookeeper.session.timeout", 4_000);
    conf.setInt("ishbase.issn.compactions", 1);
    DaemonProcess worker = new DaemonProcess(conf, directory.resolve("issn"));
    MiniCluster.await("the worker", () -> daemons() == 1);
    return worker;
  }

  private static void startBehind(FaultyProxy proxy) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    proxy.forwardTo(port);
    cluster.startDaemon(
        dataNode(),
        conf -> {
          conf.setInt("ishbase.issn.port", port);
          conf.setInt("ishbase.issn.advertised.port", proxy.port());
        });
    MiniCluster.await("the worker", () -> daemons() == 1);
  }

  private static void assertDone(CompactedTable table) throws Exception {
    table.awaitCompacted();
    table.check();
    MiniCluster.await("attempts to be deleted", () -> table.attempts() == 0);
    // One that is about to be committed may be there for a moment.
    MiniCluster.await("temporary files to go", () -> table.temporaryFiles().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 0.85})
  void workerIsKilled(double share) throws Exception {
    CompactedTable table = table();
    long local = CompactionMetrics.get().local();
    try (DaemonProcess worker = worker()) {
      table.requestMajorCompaction();
      table.awaitProgress(share);
      worker.kill();
      assertDone(table);
    }
    assertThat(CompactionMetrics.get().local()).isEqualTo(local + 1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 0.85})
  void workerIsPausedAndWakesUpLate(double share) throws Exception {
    CompactedTable table = table();
    long timeouts = CompactionMetrics.get().local(LocalReason.TIMEOUT);
    try (DaemonProcess worker = worker()) {
      table.requestMajorCompaction();
      table.awaitProgress(share);
      worker.pause();
      assertDone(table);
      assertThat(CompactionMetrics.get().local(LocalReason.TIMEOUT)).isEqualTo(timeouts + 1);
      worker.resume();
      // It ends its attempt: its one slot becomes free for the next.
      CompactedTable next = table();
      MiniCluster.await("the worker to be back", () -> daemons() == 1);
      nodes().forgetFailures();
      long offloaded = CompactionMetrics.get().offloaded();
      next.requestMajorCompaction();
      assertDone(next);
      assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
      assertDone(table);
    }
  }

  @Test
  void workerIsStoppedInOrder() throws Exception {
    CompactedTable table = table();
    try (DaemonProcess worker = worker()) {
      table.requestMajorCompaction();
      table.awaitProgress(0.3);
      worker.terminate();
      assertDone(table);
    }
  }

  @Test
  void noWorkerIsThere() throws Exception {
    CompactedTable table = table();
    long local = CompactionMetrics.get().local(LocalReason.NO_WORKER);
    MiniCluster.await("no daemon", () -> daemons() == 0);
    table.requestMajorCompaction();
    assertDone(table);
    assertThat(CompactionMetrics.get().local(LocalReason.NO_WORKER)).isEqualTo(local + 1);
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultyProxy.Mode.class,
      names = {"STALL", "DROP", "GARBLE", "TRUNCATE"})
  void networkBetweenRegionServerAndWorkerFails(FaultyProxy.Mode mode) throws Exception {
    CompactedTable table = table();
    try (FaultyProxy proxy = new FaultyProxy()) {
      startBehind(proxy);
      table.requestMajorCompaction();
      table.awaitProgress(0.3);
      proxy.set(mode);
      assertDone(table);
      proxy.set(FaultyProxy.Mode.PASS);
      assertDone(table);
    }
  }

  @Test
  void networkThatFailsForAMomentDoesNoHarm() throws Exception {
    CompactedTable table = table();
    long offloaded = CompactionMetrics.get().offloaded();
    try (FaultyProxy proxy = new FaultyProxy()) {
      startBehind(proxy);
      table.requestMajorCompaction();
      table.awaitProgress(0.3);
      proxy.set(FaultyProxy.Mode.DROP);
      long drops = proxy.bytesToClient();
      MiniCluster.await("a dropped answer", () -> proxy.bytesToClient() > drops);
      proxy.set(FaultyProxy.Mode.PASS);
      assertDone(table);
    }
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
  }

  /** Disabling a table must not wait for the worker. */
  @Test
  void storeCloses() throws Exception {
    CompactedTable table = table();
    try (DaemonProcess worker = worker()) {
      table.requestMajorCompaction();
      table.awaitProgress(0.1);
      long start = System.nanoTime();
      cluster.util.getAdmin().disableTable(table.name());
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      System.out.println("disabled in " + millis + " ms");
      cluster.util.getAdmin().enableTable(table.name());
      table.check();
      table.requestMajorCompaction();
      assertDone(table);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.85})
  void regionServerAborts(double share) throws Exception {
    CompactedTable table = table();
    try (DaemonProcess worker = worker()) {
      HRegionServer server = cluster.util.getMiniHBaseCluster().getRegionServer(0);
      table.requestMajorCompaction();
      table.awaitProgress(share);
      cluster.util.getMiniHBaseCluster().startRegionServer();
      server.abort("A test");
      cluster.util.waitUntilAllRegionsAssigned(table.name());
      table.check();
      MiniCluster.await("attempts to be deleted", () -> table.attempts() == 0);
      table.requestMajorCompaction();
      assertDone(table);
    }
  }
}
