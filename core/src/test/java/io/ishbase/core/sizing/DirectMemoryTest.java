package io.ishbase.core.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  private static final long MB = 1L << 20;

  private static DirectMemory of(Map<String, String> site) {
    return DirectMemory.of(site::get);
  }

  @Test
  void hbaseAloneTakesItsRpcBuffers() {
    assertThat(of(Map.of())).isEqualTo(new DirectMemory(0, 0, 30 * 2 * 31 * (65L << 10), -1));
    assertThat(of(Map.of("hbase.regionserver.handler.count", "60")).reservoirBytes())
        .isEqualTo(60 * 2 * 31 * (65L << 10));
    assertThat(of(Map.of("hbase.server.allocator.pool.enabled", "false")).reservoirBytes())
        .isZero();
  }

  @Test
  void onlyWhatLiesInDirectMemoryCounts() {
    assertThat(
            of(Map.of("hbase.bucketcache.ioengine", "offheap", "hbase.bucketcache.size", "100.5"))
                .blockCacheBytes())
        .isEqualTo(100 * MB + MB / 2);
    assertThat(
            of(Map.of("hbase.bucketcache.ioengine", "file:/x", "hbase.bucketcache.size", "100"))
                .blockCacheBytes())
        .isZero();
    assertThat(
            of(Map.of(
                    "hbase.regionserver.offheap.global.memstore.size",
                    "64",
                    "hbase.hregion.memstore.mslab.enabled",
                    "false"))
                .memstoreBytes())
        .isZero();
  }

  @Test
  void aValueThatHBaseRefusesCountsAsNone() {
    assertThat(
            of(
                Map.of(
                    "hbase.bucketcache.ioengine",
                    "offheap",
                    "hbase.bucketcache.size",
                    "much",
                    "hbase.regionserver.offheap.global.memstore.size",
                    "-7",
                    "hbase.server.allocator.buffer.size",
                    "0")))
        .isEqualTo(new DirectMemory(0, 0, 0, -1));
  }

  @Test
  void theUsualSegmentCacheLeavesWhatIsConfiguredAlone() {
    assertThat(new DirectMemory(0, 0, 0, -1).usualSegmentCache(1024 * MB)).isEqualTo(256 * MB);
    assertThat(new DirectMemory(700 * MB, 124 * MB, 0, -1).usualSegmentCache(1024 * MB))
        .isEqualTo(100 * MB);
    assertThat(new DirectMemory(1025 * MB, 0, 0, -1).usualSegmentCache(1024 * MB)).isZero();
  }

  @Test
  void theIndexOfTheFileBehindTheCacheCounts() {
    DirectMemory usual = of(Map.of("ishbase.cache.file", "/disk/rows"));
    assertThat(usual.fileIndexBytes(256 * MB)).isEqualTo(64 * MB + 9 * MB);
    DirectMemory configured =
        of(Map.of("ishbase.cache.file", "/disk/rows", "ishbase.cache.file.bytes", "" + 1000 * MB));
    assertThat(configured.fileIndexBytes(256 * MB)).isEqualTo(25 * MB + 9 * MB);
    assertThat(configured.fileIndexBytes(0)).as("without a cache").isZero();
    assertThat(configured.neededBytes(256 * MB) - of(Map.of()).neededBytes(256 * MB))
        .isEqualTo(34 * MB);
    assertThat(configured.shortage(100 * MB, 256 * MB))
        .hasValueSatisfying(line -> assertThat(line).contains("34 MB index of the file behind it"));
  }

  @Test
  void aShortageIsOneLineWithTheFlagThatHelps() {
    DirectMemory direct = new DirectMemory(1024 * MB, 512 * MB, 118 * MB, -1);
    assertThat(direct.shortage(1974 * MB, 256 * MB)).isEmpty();
    assertThat(direct.shortage(1973 * MB, 256 * MB))
        .hasValue(
            "The JVM has 1973 MB of direct memory, too little for 1024 MB block cache + 512 MB"
                + " memstores + 256 MB segment cache + 118 MB RPC buffers + 64 MB connections: set"
                + " -XX:MaxDirectMemorySize=1974m, or make some of them smaller (./ishbase memory"
                + " writes sizes that fit)");
  }
}
