package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.compaction.RecentCompactions;
import io.ishbase.plugin.master.CompactionManager;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The manager in the master: places, queues, survives its own death, and is not needed. */
@OwnJvm
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
              conf.set(
                  "hbase.hstore.defaultengine.compactor.class", SteeredCompactor.class.getName());
              conf.set("hbase.coprocessor.master.classes", CompactionManager.class.getName());
              conf.setInt("ishbase.manager.port", 0);
              conf.setInt("ishbase.compaction.patience", 60_000);
              conf.setInt("hbase.regionserver.thread.compaction.small", 4);
            });
    var dataNodes = cluster.util.getDFSCluster().getDataNodes();
    first = daemon(dataNodes.get(0));
    second = daemon(dataNodes.get(1));
    MiniCluster.await("the daemons", () -> nodes().answering().size() == 2);
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
    new WorkerClient(nodes().client(), daemon.address())
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

  /**
   * A daemon without a DataNode: gets nothing while those beside the files have a free slot, the
   * compaction that waits as soon as it joins, nothing new once it is drained; and finishes.
   */
  @Test
  void aDedicatedServerJoinsAndIsDrained() throws Exception {
    List<SteeredCompactor.Steering> slow = new ArrayList<>();
    List<CompactedTable> tables = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CompactedTable table = new CompactedTable(cluster, "dedicated" + i, 20, 0, 4_000_000);
      tables.add(table);
      slow.add(new SteeredCompactor.Steering(null, 20_000));
      SteeredCompactor.steer(table.name(), slow.get(i));
    }
    long offloaded = CompactionMetrics.get().offloaded();
    long local = CompactionMetrics.get().local();
    for (int i = 0; i < 3; i++) {
      tables.get(i).requestMajorCompaction();
    }
    awaitRunning(first, 1);
    awaitRunning(second, 1);
    Issn dedicated =
        cluster.startDaemon(
            cluster.util.getDFSCluster().getDataNodes().get(0),
            conf -> {
              conf.set("ishbase.issn.datanode", "none");
              conf.setInt("ishbase.issn.compactions", 2);
            });
    awaitRunning(dedicated, 1);
    awaitRunning(first, 1);
    awaitRunning(second, 1);
    drain(dedicated, true);
    tables.get(3).requestMajorCompaction();
    slow.get(3).letGo();
    // It waits for one of those beside the files, though the dedicated server has a free slot.
    slow.forEach(SteeredCompactor.Steering::letGo);
    for (CompactedTable table : tables) {
      table.awaitCompacted();
      table.check();
    }
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 4);
    assertThat(CompactionMetrics.get().local()).isEqualTo(local);
    assertThat(doneAt(tables.get(3))).isNotEqualTo(dedicated.address().toString());
    assertThat(
            tables.subList(0, 3).stream()
                .filter(t -> doneAt(t).equals(dedicated.address().toString())))
        .hasSize(1);
    dedicated.close();
    cluster.daemons().remove(dedicated);
  }

  /** No home is chosen beside a server that stores nothing, and no read is sent to it. */
  @Test
  void aDedicatedServerServesNoReads() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "unread", 100);
    Issn dedicated =
        cluster.startDaemon(
            cluster.util.getDFSCluster().getDataNodes().get(0),
            conf -> conf.set("ishbase.issn.datanode", "none"));
    awaitRunning(dedicated, 0);
    for (StorageNode node : nodes().live()) {
      assertThat(node.scans()).isEqualTo(!node.address().equals(dedicated.address()));
    }
    first.close();
    second.close();
    cluster.daemons().removeAll(List.of(first, second));
    MiniCluster.await("the others to go", () -> nodes().live().size() == 1);
    try (Table read = cluster.connection().getTable(table.name());
        ResultScanner scanner =
            read.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))) {
      assertThat(scanner.next()).isNotNull();
    }
    var dataNodes = cluster.util.getDFSCluster().getDataNodes();
    first = daemon(dataNodes.get(0));
    second = daemon(dataNodes.get(1));
    dedicated.close();
    cluster.daemons().remove(dedicated);
    MiniCluster.await("the other to go", () -> nodes().live().size() == 2);
    cluster.awaitAnswering(MiniCluster.addresses(List.of(first, second)));
  }

  private static void awaitRunning(Issn daemon, int compactions) {
    MiniCluster.await(
        compactions + " compactions at " + daemon.address(),
        () ->
            nodes().live().stream()
                .anyMatch(
                    node ->
                        node.address().equals(daemon.address())
                            && node.worker().running() == compactions));
  }

  /** The worker that carried out the last compaction of {@code table}. */
  private static String doneAt(CompactedTable table) {
    String at = ", at ";
    return RecentCompactions.get().getRecent().stream()
        .filter(line -> line.contains(" " + table.name() + "/") && line.contains(at))
        .map(line -> line.substring(line.indexOf(at) + at.length(), line.lastIndexOf(" for ")))
        .reduce((earlier, later) -> later)
        .orElse("");
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
