package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.blockwarmup.WarmUp;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster whose only worker is behind a proxy, which lets the first part of a new file through
 * and then no more: the warm-up stands still until a test lets it go on. Registered by a test
 * class, it starts and stops with it.
 */
final class StalledWarmUps implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  /** Rows of 1 KB of what is compacted in one go. */
  static final int ROWS = 2000;

  /** The index, the first part of 1 MB, and less than the second, which is the last. */
  static final int PASSED_BYTES = 1_300_000;

  private MiniCluster cluster;
  private FaultyProxy proxy;
  private Issn worker;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    proxy = new FaultyProxy();
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.issn.remote.cache", 64);
              // The end of a stall is the test's.
              conf.setInt("ishbase.rpc.timeout", 150_000);
            });
    startWorker();
    awaitAnswering(worker);
  }

  MiniCluster cluster() {
    return cluster;
  }

  DataNode dataNode() {
    return cluster.util.getDFSCluster().getDataNodes().get(0);
  }

  void startWorker() throws IOException {
    worker = cluster.startDaemon(dataNode(), proxy::standBefore);
    awaitOnly(worker);
  }

  /** It may be one that cannot answer yet. */
  void awaitOnly(Issn daemon) {
    MiniCluster.await("the daemon", () -> isOnly(daemon, nodes().live()));
  }

  void awaitAnswering(Issn daemon) {
    MiniCluster.await("the daemon's answers", () -> isOnly(daemon, nodes().answering()));
  }

  private StorageNodes nodes() {
    return StorageNodes.of(cluster.util.getConfiguration());
  }

  private static boolean isOnly(Issn daemon, List<StorageNode> nodes) {
    return nodes.stream().map(StorageNode::address).toList().equals(List.of(daemon.address()));
  }

  /** What the proxy has of its answers stays there. */
  void endWorker() throws IOException {
    endDaemon(worker);
  }

  void endDaemon(Issn daemon) throws IOException {
    daemon.close();
    cluster.daemons().remove(daemon);
  }

  /** The next warm-up will stand still. */
  void stall() {
    proxy.setAfter(PASSED_BYTES, FaultyProxy.Mode.STALL);
  }

  /** Of the next warm-up the rest will be garbled. */
  void garble() {
    proxy.setAfter(PASSED_BYTES, FaultyProxy.Mode.GARBLE);
  }

  /** Has the table compacted; returns the row of its threshold, which stands. */
  int compactToTheMiddle(WarmTable table) throws IOException {
    stall();
    table.compact();
    return awaitTheMiddle(table);
  }

  int awaitTheMiddle(WarmTable table) {
    MiniCluster.await("the second part to stall", proxy::hasStalled);
    WarmUp warmUp = table.warmUp();
    assertThat(warmUp).as("under way").isNotNull();
    MiniCluster.await("the threshold", () -> warmUp.threshold().length > 0);
    // A key between two blocks may be shorter or longer than a row.
    String text = Bytes.toString(warmUp.threshold()) + "000000";
    int row = Integer.parseInt(text.substring(3, 9));
    assertThat(row).isBetween(ROWS / 4, ROWS * 3 / 4);
    return row;
  }

  /** The answer that stalled is lost; what comes then is let through. */
  void pass() {
    proxy.set(FaultyProxy.Mode.PASS);
  }

  /** Ends the stall and waits for the warm-up's end; it gets the rest from HDFS. */
  void goOn(WarmTable table) {
    assertThat(table.warmUp()).as("still under way").isNotNull();
    long failures = CompactionMetrics.get().fetchFailures();
    letGo();
    table.awaitWarm();
    assertThat(CompactionMetrics.get().fetchFailures()).isEqualTo(failures + 1);
  }

  /** Ends the stall and waits for the end of all warm-ups. */
  void letGo() {
    pass();
    MiniCluster.await("warm-ups to end", () -> CompactionMetrics.get().warmUps() == 0);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    letGo();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    proxy.close();
    cluster.close();
  }
}
