package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.metrics.CompactionMetrics;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Block caches that are warm after a compaction, and reads while they are warmed. */
class WarmUpTest {
  private static final int ROWS = StalledWarmUps.ROWS;

  @RegisterExtension static final StalledWarmUps warmUps = new StalledWarmUps();

  private final MiniCluster cluster = warmUps.cluster();

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
    MiniCluster.await(
        "the files to be let go", () -> cluster.storeFileReferences(table.name()) == 0);
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

  /** The worker stops answering in the middle: the threshold stands. */
  @Test
  void readsOnBothSidesOfTheThresholdAreRight() throws Exception {
    WarmTable table = new WarmTable(cluster, "sides", "throttled", ROWS, "f");
    int at = warmUps.compactToTheMiddle(table);
    byte[] threshold = table.warmUp().threshold();
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
    warmUps.goOn(table);
    table.check();
    assertThat(table.readAll()).isZero();
  }

  /** A bit is flipped here and there: HBase's checksums find it, and HDFS has the right ones. */
  @Test
  void garbledBlocksAreReadFromHdfs() throws Exception {
    WarmTable table = new WarmTable(cluster, "garbled", "throttled", ROWS, "f");
    long failures = CompactionMetrics.get().fetchFailures();
    warmUps.garble();
    table.compact();
    table.check();
    table.awaitWarm();
    assertThat(CompactionMetrics.get().fetchFailures()).isEqualTo(failures + 1);
    table.check();
    assertThat(table.readAll()).as("bytes that are not cached").isZero();
  }

  @Test
  void aRegionThatMovesInTheMiddleHasTheNewFile() throws Exception {
    WarmTable table = new WarmTable(cluster, "moves", "throttled", ROWS, "f");
    warmUps.compactToTheMiddle(table);
    cluster.util.getAdmin().disableTable(table.name());
    warmUps.pass();
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
    warmUps.compactToTheMiddle(table);
    servers.abortRegionServer(servers.getServerWith(region));
    warmUps.pass();
    MiniCluster.await("the region to open", () -> cluster.regions(table.name()).size() == 1);
    cluster.util.waitUntilAllRegionsAssigned(table.name());
    table.check();
    assertThat(table.stores().get(0).getStorefilesCount()).isEqualTo(1);
  }
}
