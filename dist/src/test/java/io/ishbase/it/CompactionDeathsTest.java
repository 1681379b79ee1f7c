package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.master.CompactionManager;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Region servers, masters and DataNodes that die, and stores that close, while compactions are in
 * each of their states. No cell is lost or doubled, no store is stuck, no file is left over, and
 * all are done in the end.
 */
@OwnJvm
class CompactionDeathsTest {
  private static MiniCluster cluster;
  private static CompactionsInAllStates compactions;

  private long local;
  private long offloaded;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            3,
            conf -> {
              CompactionsInAllStates.configure(conf);
              conf.setInt("dfs.replication", 2);
              conf.setInt("ishbase.rpc.timeout", 10_000);
              conf.setInt("ishbase.compaction.lease", 30_000);
              conf.set("hbase.coprocessor.master.classes", CompactionManager.class.getName());
              conf.setInt("ishbase.manager.port", 0);
            });
    cluster.startDaemon(cluster.util.getDFSCluster().getDataNodes().get(0), conf -> {});
    MiniCluster.await("the worker", () -> nodes().answering().size() == 1);
    MiniCluster.await("the manager", () -> nodes().manager().isPresent());
    compactions = new CompactionsInAllStates(cluster, 60_000);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void begin() throws Exception {
    compactions.begin();
    local = CompactionMetrics.get().local();
    offloaded = CompactionMetrics.get().offloaded();
  }

  @AfterEach
  void letGo() {
    compactions.letGo();
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  private static HRegionServer regionServer() {
    return cluster.util.getMiniHBaseCluster().getLiveRegionServerThreads().get(0).getRegionServer();
  }

  private void assertAllWereOffloaded() {
    assertThat(CompactionMetrics.get().local()).isEqualTo(local);
    // That before its commit was counted before.
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(6);
  }

  private static void awaitStopped(ServerName server) throws Exception {
    cluster.util.getMiniHBaseCluster().waitForRegionServerToStop(server, 180_000);
  }

  private static void awaitRegions() throws Exception {
    for (CompactionsInAllStates.State state : CompactionsInAllStates.State.values()) {
      TableName table = compactions.table(state).name();
      cluster.util.waitUntilAllRegionsAssigned(table, 180_000);
      MiniCluster.await("the region of " + table, () -> cluster.regions(table).size() == 1);
    }
  }

  private static void awaitFreeSlots() {
    MiniCluster.await(
        "free slots", () -> nodes().live().stream().allMatch(node -> node.worker().running() == 0));
  }

  /** It closes its regions, so the threads that compact come to their end. */
  @Test
  void regionServerAborts() throws Exception {
    HRegionServer server = regionServer();
    cluster.util.getMiniHBaseCluster().startRegionServer();
    server.abort("A test");
    compactions.letGo();
    awaitStopped(server.getServerName());
    awaitRegions();
    awaitFreeSlots();
    compactions.assertNothingIsLeft();
    compactions.assertDoneOnceAskedAgain();
  }

  /** Its threads do nothing any more. */
  @Test
  void regionServerIsKilled() throws Exception {
    ServerName server = regionServer().getServerName();
    cluster.util.getMiniHBaseCluster().startRegionServer();
    compactions.halt();
    cluster.util.getMiniHBaseCluster().killRegionServer(server);
    awaitStopped(server);
    awaitRegions();
    awaitFreeSlots();
    compactions.assertNothingIsLeft();
    compactions.die();
    compactions.assertDoneOnceAskedAgain();
  }

  /** They do not wait for the worker. */
  @Test
  void storesClose() throws Exception {
    assertThat(compactions.reopen()).isLessThan(40_000);
    awaitFreeSlots();
    compactions.assertNothingIsLeft();
    compactions.assertDoneOnceAskedAgain();
  }

  @Test
  void managerDies() throws Exception {
    cluster.util.getMiniHBaseCluster().getMaster().abort("A test");
    compactions.assertDone();
    assertAllWereOffloaded();
    cluster.util.getMiniHBaseCluster().startMaster();
    cluster.util.getMiniHBaseCluster().waitForActiveAndReadyMaster();
  }

  @Test
  void networkToTheManagerIsCut() throws Exception {
    ServerName manager = nodes().manager().orElseThrow().address();
    try (FaultyProxy proxy = new FaultyProxy();
        Registration ignored =
            new Registration(
                cluster.util.getConfiguration(),
                Protocol.managerZNode(cluster.util.getConfiguration()),
                DaemonInfo.newBuilder()
                    .setVersion(Protocol.VERSION)
                    .setHost("127.0.0.1")
                    .setPort(proxy.port())
                    .setStartCode(manager.getStartCode() + 1)
                    .build(),
                false)) {
      proxy.forwardTo(manager.getPort());
      proxy.set(FaultyProxy.Mode.STALL);
      MiniCluster.await("a question that gets lost", () -> proxy.bytesToClient() > 0);
      compactions.assertDone();
      assertAllWereOffloaded();
    }
  }

  /** That beside the worker, which goes on with the others. */
  @Test
  void dataNodeDies() throws Exception {
    String address = nodes().live().get(0).dataNode();
    MiniDFSCluster hdfs = cluster.util.getDFSCluster();
    MiniDFSCluster.DataNodeProperties dead = hdfs.stopDataNode(address);
    assertThat(dead).isNotNull();
    compactions.assertDone();
    assertAllWereOffloaded();
    hdfs.restartDataNode(dead, true);
    hdfs.waitActive();
  }
}
