package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.blockwarmup.WarmUp;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.testing.Await;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Block caches that are warm after a compaction, and reads while they are warmed. */
class WarmUpTest {
  private static final int ROWS = 2000;

  private static MiniCluster cluster;
  private static FaultyProxy proxy;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.issn.remote.cache", 64);
              conf.setInt("ishbase.compaction.warmup.rate", 1);
              // Half a request is stalled for so long.
              conf.setInt("ishbase.rpc.timeout", 4_000);
            });
    proxy = new FaultyProxy();
    DataNode dataNode = cluster.util.getDFSCluster().getDataNodes().get(0);
    cluster.startDaemon(dataNode, proxy::standBefore);
  }

  @AfterAll
  static void stop() throws Exception {
    proxy.close();
    cluster.close();
  }

  @AfterEach
  void pass() {
    proxy.set(FaultyProxy.Mode.PASS);
    MiniCluster.await("warm-ups to end", () -> CompactionMetrics.get().warmUps() == 0);
  }

  private static long fetched() {
    return CompactionMetrics.get().fetchedBytes();
  }

  @Test
  void withoutAWarmUpReadsMiss() throws Exception {
    WarmTable table = new WarmTable(cluster, "cold", "none", ROWS, "f");
    long fetched = fetched();
    assertThat(table.readAll()).isZero();
    table.compact();
    assertThat(table.readAll()).isPositive();
    assertThat(fetched()).isEqualTo(fetched);
    table.check();
  }

  @ParameterizedTest
  @EnumSource(
      value = WarmUpMode.class,
      names = {"PRE_SWITCH", "INCREMENTAL", "THROTTLED"})
  void afterAWarmUpNoReadMisses(WarmUpMode mode) throws Exception {
    WarmTable table = new WarmTable(cluster, "warm-" + mode, mode.toString(), ROWS, "f", "g");
    long fetched = fetched();
    long blocks = CompactionMetrics.get().warmedBlocks(mode);
    assertThat(table.readAll()).isZero();
    table.compact();
    table.check();
    table.awaitWarm();
    assertThat(table.readAll()).isZero();
    // Of 16 KB each; together more than three quarters of what was written at first.
    assertThat(CompactionMetrics.get().warmedBlocks(mode) - blocks).isGreaterThan(ROWS / 24);
    assertThat(fetched() - fetched).isGreaterThan(ROWS * 600L);
    table.check();
    assertThat(cluster.storeFileReferences(table.name())).isZero();
  }

  @Test
  void missesAreAnsweredFromTheWorkersMemory() throws Exception {
    WarmTable table = new WarmTable(cluster, "remote", "remote", ROWS, "f");
    long fetched = fetched();
    table.compact();
    CacheConfig config = table.stores().get(0).getCacheConfig();
    BlockCache original = new CacheConfig(config).getBlockCache().orElseThrow();
    MiniCluster.await(
        "misses to go to the worker", () -> config.getBlockCache().orElseThrow() != original);
    table.awaitCached();
    assertThat(fetched() - fetched).isGreaterThan(ROWS * 600L);
    table.check();
  }

  /** What nobody has read is not fetched. */
  @Test
  void onlyWhatWasCachedIsFetched() throws Exception {
    WarmTable table = new WarmTable(cluster, "part", "incremental", ROWS, "f");
    HStore store = table.stores().get(0);
    BlockCache cache = store.getCacheConfig().getBlockCache().orElseThrow();
    store.getStorefiles().stream()
        .map(file -> file.getPath().getName())
        .forEach(cache::evictBlocksByHfileName);
    table.readBefore(table.row(ROWS / 5));
    long fetched = fetched();
    table.compact();
    table.awaitWarm();
    assertThat(table.readBefore(table.row(ROWS / 5))).isZero();
    assertThat(fetched() - fetched).isBetween(ROWS * 100L, ROWS * 400L);
    table.check();
  }

  /** The worker stops answering in the middle; until that is noticed, the threshold stands. */
  @Test
  void readsOnBothSidesOfTheThresholdAreRight() throws Exception {
    WarmTable table = new WarmTable(cluster, "sides", "throttled", ROWS, "f");
    table.compact();
    byte[] threshold = stallBehindTheFirstPart(table);
    String text = Bytes.toString(threshold);
    int at = Integer.parseInt(text.substring(3, Math.min(9, text.length())));
    assertThat(at).isBetween(100, ROWS - 100);
    byte[] below = table.row(at - 50);
    byte[] above = table.row(at + 50);
    for (int row = at - 3; row < at + 3; row++) {
      table.checkGet(row);
    }
    table.checkScan(new Scan().withStopRow(below));
    table.checkScan(new Scan().withStartRow(table.row(0)).withStopRow(below));
    table.checkScan(new Scan().withStartRow(above));
    table.checkScan(new Scan().withStartRow(above).withStopRow(table.row(ROWS)));
    table.checkScan(new Scan().withStartRow(below).withStopRow(above));
    table.checkScan(new Scan().withStartRow(below).withStopRow(threshold));
    table.checkScan(new Scan().withStartRow(threshold).withStopRow(above));
    table.checkScan(new Scan().withStartRow(above).withStopRow(below).setReversed(true));
    table.checkScan(new Scan().withStartRow(below).setReversed(true));
    table.checkScan(new Scan().withStopRow(above).setReversed(true));
    table.change(ROWS / 10);
    table.check();
    table.flush();
    table.check();
    assertThat(table.warmUp()).as("still under way").isNotNull();
    long failures = CompactionMetrics.get().fetchFailures();
    table.awaitWarm();
    assertThat(CompactionMetrics.get().fetchFailures()).isEqualTo(failures + 1);
    table.check();
    assertThat(table.readAll()).isZero();
  }

  /** A bit is flipped here and there: HBase's checksums find it, and HDFS has the right ones. */
  @Test
  void garbledBlocksAreReadFromHdfs() throws Exception {
    WarmTable table = new WarmTable(cluster, "garbled", "throttled", ROWS, "f");
    table.compact();
    long failures = CompactionMetrics.get().fetchFailures();
    proxy.set(FaultyProxy.Mode.GARBLE);
    table.check();
    table.awaitWarm();
    assertThat(CompactionMetrics.get().fetchFailures()).isEqualTo(failures + 1);
    table.check();
    assertThat(table.readAll()).as("bytes that are not cached").isZero();
  }

  @Test
  void aRegionThatMovesInTheMiddleHasTheNewFile() throws Exception {
    WarmTable table = new WarmTable(cluster, "moves", "throttled", ROWS, "f");
    table.compact();
    stallBehindTheFirstPart(table);
    cluster.util.getAdmin().disableTable(table.name());
    proxy.set(FaultyProxy.Mode.PASS);
    cluster.util.getAdmin().enableTable(table.name());
    assertThat(table.stores().get(0).getStorefilesCount()).isEqualTo(1);
    table.check();
  }

  @Test
  void aRegionServerThatDiesInTheMiddleLeavesTheNewFile() throws Exception {
    var servers = cluster.util.getMiniHBaseCluster();
    servers.startRegionServer().waitForServerOnline();
    WarmTable table = new WarmTable(cluster, "dies", "throttled", ROWS, "f");
    byte[] region = cluster.regions(table.name()).get(0).getRegionInfo().getRegionName();
    table.compact();
    stallBehindTheFirstPart(table);
    servers.abortRegionServer(servers.getServerWith(region));
    proxy.set(FaultyProxy.Mode.PASS);
    MiniCluster.await("the region to open", () -> cluster.regions(table.name()).size() == 1);
    cluster.util.waitUntilAllRegionsAssigned(table.name());
    table.check();
    assertThat(table.stores().get(0).getStorefilesCount()).isEqualTo(1);
  }

  /** A compaction that takes the new file, too, ends the warm-up. */
  @Test
  void theNextCompactionEndsAWarmUp() throws Exception {
    WarmTable table = new WarmTable(cluster, "next", "throttled", ROWS, "f");
    table.compact();
    Await.until(
        "the threshold to move",
        () -> {
          WarmUp warmUp = table.warmUp();
          assertThat(warmUp).as("under way").isNotNull();
          return warmUp.threshold().length > 0;
        });
    table.change(ROWS / 4);
    table.flush();
    int compacted = table.stores().get(0).getCompactedFilesCount();
    cluster.util.getAdmin().majorCompact(table.name());
    MiniCluster.await(
        "the next compaction", () -> table.stores().get(0).getCompactedFilesCount() > compacted);
    table.check();
    table.awaitWarm();
    table.check();
  }

  /** Lets the first part through, then nothing; returns the threshold then. */
  private static byte[] stallBehindTheFirstPart(WarmTable table) {
    MiniCluster.await(
        "the threshold to move",
        () -> table.warmUp() != null && table.warmUp().threshold().length > 0);
    proxy.set(FaultyProxy.Mode.STALL);
    return table.warmUp().threshold();
  }
}
