package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNodes;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that die while blocks are fetched from their memory: the rest comes from HDFS. */
class WarmUpDeathsTest {
  private static final int ROWS = StalledWarmUps.ROWS;

  private static MiniCluster cluster;

  @TempDir private Path directory;
  private FaultyProxy proxy;
  private DaemonProcess worker;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.issn.remote.cache", 64);
              conf.setInt("ishbase.rpc.timeout", 60_000);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static int workers() {
    return StorageNodes.of(cluster.util.getConfiguration()).answering().size();
  }

  @BeforeEach
  void startWorker() throws Exception {
    MiniCluster.await("the last worker to go", () -> workers() == 0);
    proxy = new FaultyProxy();
    Configuration conf = cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(0));
    proxy.standBefore(conf);
    // A killed one is soon taken off the list.
    conf.setInt("zookeeper.session.timeout", 8_000);
    worker = new DaemonProcess(conf, directory.resolve("issn"));
    MiniCluster.await("the worker", () -> workers() == 1);
  }

  @AfterEach
  void endWorker() throws Exception {
    worker.close();
    proxy.close();
    MiniCluster.await("warm-ups to end", () -> CompactionMetrics.get().warmUps() == 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = WarmUpMode.class,
      names = {"PRE_SWITCH", "INCREMENTAL", "THROTTLED"})
  void workerIsKilled(WarmUpMode mode) throws Exception {
    WarmTable table = compactToTheMiddle("killed-" + mode, mode);
    table.check();
    worker.kill();
    proxy.set(FaultyProxy.Mode.CUT);
    checkTheRest(table);
  }

  @Test
  void workerIsStoppedInOrder() throws Exception {
    WarmTable table = compactToTheMiddle("stopped", WarmUpMode.INCREMENTAL);
    worker.terminate();
    proxy.set(FaultyProxy.Mode.CUT);
    checkTheRest(table);
  }

  @Test
  void workerWhoseMemoryAnswersMissesIsKilled() throws Exception {
    WarmTable table = new WarmTable(cluster, "killed-remote", "remote", ROWS, "f");
    long offloaded = CompactionMetrics.get().offloaded();
    long fetched = CompactionMetrics.get().fetchedBytes();
    long failures = CompactionMetrics.get().fetchFailures();
    table.compact();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
    CacheConfig config = table.stores().get(0).getCacheConfig();
    BlockCache original = new CacheConfig(config).getBlockCache().orElseThrow();
    MiniCluster.await(
        "misses to go to the worker", () -> config.getBlockCache().orElseThrow() != original);
    table.readBefore(table.row(ROWS / 4));
    assertThat(CompactionMetrics.get().fetchedBytes() - fetched).isGreaterThan(ROWS * 100L);
    worker.kill();
    proxy.set(FaultyProxy.Mode.CUT);
    table.check();
    assertThat(CompactionMetrics.get().fetchFailures()).isEqualTo(failures + 1);
    table.check();
    assertThat(table.readAll()).isZero();
    compactAtHome(table);
  }

  private WarmTable compactToTheMiddle(String name, WarmUpMode mode) throws Exception {
    WarmTable table = new WarmTable(cluster, name, mode.toString(), ROWS, "f");
    long offloaded = CompactionMetrics.get().offloaded();
    proxy.setAfter(StalledWarmUps.PASSED_BYTES, FaultyProxy.Mode.STALL);
    table.compact();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
    MiniCluster.await("the second part to stall", proxy::hasStalled);
    assertThat(table.warmUp()).as("under way").isNotNull();
    if (mode == WarmUpMode.PRE_SWITCH) {
      assertThat(table.readAll()).as("old files are warm").isZero();
    }
    return table;
  }

  private static void checkTheRest(WarmTable table) throws Exception {
    table.check();
    table.awaitWarm();
    table.check();
    assertThat(table.readAll()).isZero();
    compactAtHome(table);
  }

  private static void compactAtHome(WarmTable table) throws Exception {
    MiniCluster.await("the worker to go", () -> workers() == 0);
    table.change(ROWS / 4);
    table.flush();
    long local = CompactionMetrics.get().local();
    cluster.util.getAdmin().majorCompact(table.name());
    HStore store = table.stores().get(0);
    MiniCluster.await("the next compaction", () -> store.getStorefilesCount() == 1);
    assertThat(CompactionMetrics.get().local()).isEqualTo(local + 1);
    table.check();
    assertThat(table.warmUp()).isNull();
    table.assertNothingIsHeld();
  }
}
