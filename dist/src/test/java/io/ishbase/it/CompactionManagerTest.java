package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.master.CompactionManager;
import io.ishbase.plugin.regionserver.StorageNodes;
import io.ishbase.plugin.regionserver.compaction.CompactionClient;
import io.ishbase.plugin.regionserver.compaction.CompactionMetrics;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The manager in the master: places, queues, survives its own death, and is not needed. */
class CompactionManagerTest {
  private static final int ROWS = 1500;

  private static MiniCluster cluster;
  private static Issn first;
  private static Issn second;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.set("hbase.coprocessor.master.classes", CompactionManager.class.getName());
              conf.setInt("ishbase.manager.port", 0);
              conf.setInt("ishbase.compaction.patience", 60_000);
              conf.setInt("hbase.regionserver.thread.compaction.small", 4);
            });
    var dataNodes = cluster.util.getDFSCluster().getDataNodes();
    first = daemon(dataNodes.get(0));
    second = daemon(dataNodes.get(1));
    MiniCluster.await("the daemons", () -> nodes().live().size() == 2);
    MiniCluster.await("the manager", () -> nodes().manager().isPresent());
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static Issn daemon(DataNode dataNode) throws Exception {
    return cluster.startDaemon(dataNode, conf -> conf.setInt("ishbase.issn.compactions", 1));
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  private static void drain(Issn daemon, boolean drain) throws Exception {
    new CompactionClient(nodes().client(), daemon.address())
        .work(WorkRequest.newBuilder().setVersion(Protocol.VERSION).setDrain(drain).build())
        .get();
    MiniCluster.await(
        "the draining to be known",
        () ->
            nodes().live().stream()
                .anyMatch(
                    node ->
                        node.address().equals(daemon.address())
                            && node.worker().draining() == drain));
  }

  @Test
  void placesACompaction() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "placed", ROWS);
    long offloaded = CompactionMetrics.get().offloaded();
    table.requestMajorCompaction();
    table.awaitCompacted();
    table.check();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
  }

  @Test
  void aDrainedWorkerGetsNone() throws Exception {
    drain(first, true);
    CompactedTable table = new CompactedTable(cluster, "drained", ROWS);
    long offloaded = CompactionMetrics.get().offloaded();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
    drain(second, true);
    CompactedTable other = new CompactedTable(cluster, "drained2", ROWS);
    long local = CompactionMetrics.get().local(LocalReason.BUSY);
    other.requestMajorCompaction();
    other.awaitCompacted();
    other.check();
    assertThat(CompactionMetrics.get().local(LocalReason.BUSY)).isEqualTo(local + 1);
    drain(first, false);
    drain(second, false);
  }

  /** One slot each, four compactions at once: none stays at home, none is refused. */
  @Test
  void moreCompactionsThanSlotsWait() throws Exception {
    List<CompactedTable> tables = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tables.add(new CompactedTable(cluster, "waiting" + i, ROWS));
    }
    long offloaded = CompactionMetrics.get().offloaded();
    long local = CompactionMetrics.get().local();
    for (CompactedTable table : tables) {
      table.requestMajorCompaction();
    }
    for (CompactedTable table : tables) {
      table.awaitCompacted();
      table.check();
    }
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 4);
    assertThat(CompactionMetrics.get().local()).isEqualTo(local);
  }

  @Test
  void theMasterDiesAndAnotherTakesOver() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "orphaned", ROWS);
    var before = nodes().manager().orElseThrow();
    long offloaded = CompactionMetrics.get().offloaded();
    cluster.util.getMiniHBaseCluster().getMaster().abort("A test");
    cluster.util.getMiniHBaseCluster().startMaster();
    cluster.util.getMiniHBaseCluster().waitForActiveAndReadyMaster();
    MiniCluster.await(
        "the new manager", () -> nodes().manager().filter(now -> !now.equals(before)).isPresent());
    table.requestMajorCompaction();
    table.awaitCompacted();
    table.check();
    assertThat(CompactionMetrics.get().offloaded()).isGreaterThan(offloaded);
  }
}
