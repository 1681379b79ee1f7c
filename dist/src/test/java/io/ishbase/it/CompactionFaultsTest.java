package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNodes;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Workers and networks that fail while compactions are in each of their states. No cell is lost or
 * doubled, no store is stuck, no file is left over, and all are done in the end.
 */
@OwnJvm
class CompactionFaultsTest {
  private static final int LEASE_MILLIS = 10_000;

  private static MiniCluster cluster;
  private static CompactionsInAllStates compactions;

  @TempDir private Path directory;
  private long local;
  private long offloaded;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionsInAllStates.configure(conf);
              conf.setInt("ishbase.rpc.timeout", 10_000);
              conf.setInt("ishbase.compaction.lease", LEASE_MILLIS);
            });
    compactions = new CompactionsInAllStates(cluster, 2 * LEASE_MILLIS);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @AfterEach
  void stopDaemons() throws Exception {
    compactions.letGo();
    cluster.stopDaemons();
  }

  private static DataNode dataNode() {
    return cluster.util.getDFSCluster().getDataNodes().get(0);
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  private static int daemons() {
    return nodes().answering().size();
  }

  private DaemonProcess process() throws Exception {
    MiniCluster.await("the last worker to go", () -> daemons() == 0);
    Configuration conf = cluster.daemonConf(dataNode());
    // A killed one is soon taken off the list.
    conf.setInt("zookeeper.session.timeout", 8_000);
    DaemonProcess worker = new DaemonProcess(conf, directory.resolve("issn"));
    MiniCluster.await("the worker", () -> daemons() == 1);
    return worker;
  }

  private static Issn worker(Consumer<Configuration> settings) throws Exception {
    MiniCluster.await("the last worker to go", () -> daemons() == 0);
    Issn worker = cluster.startDaemon(dataNode(), settings);
    MiniCluster.await("the worker", () -> daemons() == 1);
    return worker;
  }

  private static Issn workerBehind(FaultyProxy proxy) throws Exception {
    return worker(proxy::standBefore);
  }

  private void begin() throws Exception {
    compactions.begin();
    local = CompactionMetrics.get().local();
    offloaded = CompactionMetrics.get().offloaded();
  }

  private long sinceBegin(LocalReason reason, long before) {
    return CompactionMetrics.get().local(reason) - before;
  }

  private void assertAllWereOffloaded() {
    assertThat(CompactionMetrics.get().local()).isEqualTo(local);
    // That before its commit was counted before.
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(6);
  }

  private void assertAllWereDoneAtHome() {
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded);
    assertThat(CompactionMetrics.get().local() - local).isEqualTo(6);
  }

  @Test
  void workerIsKilled() throws Exception {
    try (DaemonProcess worker = process()) {
      begin();
      worker.kill();
      compactions.assertDone();
      assertAllWereDoneAtHome();
    }
  }

  @Test
  void workerIsPausedAndWakesUpLate() throws Exception {
    try (DaemonProcess worker = process()) {
      begin();
      long timeouts = CompactionMetrics.get().local(LocalReason.TIMEOUT);
      worker.pause();
      compactions.assertDone();
      assertAllWereDoneAtHome();
      assertThat(sinceBegin(LocalReason.TIMEOUT, timeouts)).isPositive();
      worker.resume();
      MiniCluster.await("the worker to be back", () -> daemons() == 1);
      // It ends its attempts: its slots become free for the next.
      MiniCluster.await(
          "free slots", () -> nodes().live().stream().allMatch(n -> n.worker().running() == 0));
      compactions.check();
      compactions.assertNothingIsLeft();
    }
  }

  @Test
  void workerIsStoppedInOrder() throws Exception {
    try (DaemonProcess worker = process()) {
      begin();
      worker.terminate();
      compactions.assertDone();
      // The one at its last block may have ended before it could be cancelled.
      long atHome = CompactionMetrics.get().local() - local;
      assertThat(atHome).isBetween(5L, 6L);
      assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(6 - atHome);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultyProxy.Mode.class,
      names = {"STALL", "DROP", "GARBLE", "TRUNCATE"})
  void networkToTheRegionServerFails(FaultyProxy.Mode mode) throws Exception {
    try (FaultyProxy proxy = new FaultyProxy()) {
      workerBehind(proxy);
      begin();
      proxy.set(mode);
      compactions.assertDone();
      proxy.set(FaultyProxy.Mode.PASS);
      compactions.assertNothingIsLeft();
    }
  }

  @Test
  void networkThatFailsForAMomentDoesNoHarm() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy()) {
      workerBehind(proxy);
      begin();
      proxy.set(FaultyProxy.Mode.DROP);
      long drops = proxy.bytesToClient();
      MiniCluster.await("a dropped answer", () -> proxy.bytesToClient() > drops);
      proxy.set(FaultyProxy.Mode.PASS);
      compactions.assertDone();
      assertAllWereOffloaded();
    }
  }

  /** It is known by ZooKeeper alone; what is under way goes on, and nothing new begins. */
  @Test
  void networkToZooKeeperIsCut() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy()) {
      proxy.forwardTo(cluster.util.getZkCluster().getClientPort());
      worker(
          conf -> {
            conf.setInt("hbase.zookeeper.property.clientPort", proxy.port());
            conf.setInt("zookeeper.session.timeout", 8_000);
          });
      begin();
      proxy.set(FaultyProxy.Mode.CUT);
      MiniCluster.await("the worker to go", () -> daemons() == 0);
      compactions.assertDone();
      // Those that had not begun, and one after which may not have been asked in its lease.
      assertThat(CompactionMetrics.get().local() - local).isBetween(2L, 3L);
      assertThat(CompactionMetrics.get().offloaded() - offloaded).isBetween(3L, 4L);
      proxy.set(FaultyProxy.Mode.PASS);
    }
  }

  /** What was written cannot be closed. */
  @ParameterizedTest
  @EnumSource(
      value = FaultyProxy.Mode.class,
      names = {"STALL", "DROP"})
  void networkToTheNameNodeFails(FaultyProxy.Mode mode) throws Exception {
    try (FaultyProxy proxy = new FaultyProxy()) {
      proxy.forwardTo(cluster.util.getDFSCluster().getNameNodePort());
      worker(
          conf -> {
            conf.set("fs.defaultFS", through(proxy, conf.get("fs.defaultFS")));
            conf.set("hbase.rootdir", through(proxy, conf.get("hbase.rootdir")));
          });
      begin();
      long stalled = CompactionMetrics.get().local(LocalReason.STALLED);
      proxy.set(mode);
      compactions.assertDone();
      if (mode == FaultyProxy.Mode.STALL) {
        assertThat(sinceBegin(LocalReason.STALLED, stalled)).isPositive();
      }
      proxy.set(FaultyProxy.Mode.PASS);
      compactions.assertNothingIsLeft();
    }
  }

  private static String through(FaultyProxy proxy, String uri) {
    URI direct = URI.create(uri);
    return direct.getScheme() + "://localhost:" + proxy.port() + direct.getPath();
  }

  /**
   * A worker that answers but does not get on: its result comes too late, and it is told to end
   * while it hangs.
   */
  @Test
  void networkToTheDataNodesIsCut() throws Exception {
    try (HangingDataNodes dataNodes = new HangingDataNodes("STUCK")) {
      Issn worker =
          worker(
              conf -> {
                conf.setBoolean("fs.hdfs.impl.disable.cache", true);
                conf.set(HangingDataNodes.CLIENT_KEY, "STUCK");
              });
      begin();
      long stalled = CompactionMetrics.get().local(LocalReason.STALLED);
      dataNodes.hang();
      compactions.assertDone();
      assertThat(sinceBegin(LocalReason.STALLED, stalled)).isPositive();
      MiniCluster.await(
          "free slots", () -> nodes().live().stream().allMatch(n -> n.worker().running() == 0));
      dataNodes.goOn();
      compactions.check();
      compactions.assertNothingIsLeft();
      assertThat(worker.address()).isEqualTo(nodes().live().get(0).address());
    }
  }

  @Test
  void noWorkerIsThere() throws Exception {
    MiniCluster.await("no daemon", () -> daemons() == 0);
    CompactedTable table = compactions.table(CompactionsInAllStates.State.IDLE);
    table.change();
    long before = CompactionMetrics.get().local(LocalReason.NO_WORKER);
    table.requestMajorCompaction();
    table.awaitCompacted();
    table.check();
    assertThat(CompactionMetrics.get().local(LocalReason.NO_WORKER)).isEqualTo(before + 1);
  }
}
