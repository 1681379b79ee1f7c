package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.CompactionMetrics;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Warm-ups of a block cache whose data blocks are off the heap. */
class BucketCacheWarmUpTest {
  private static final int ROWS = 2000;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.issn.remote.cache", 64);
              conf.set("hbase.bucketcache.ioengine", "offheap");
              conf.setInt("hbase.bucketcache.size", 64);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void afterAWarmUpNoReadMisses() throws Exception {
    WarmTable table =
        new WarmTable(
            cluster,
            "bucket",
            "incremental",
            ROWS,
            family ->
                family
                    .setCompressionType(Compression.Algorithm.GZ)
                    .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                    .setBloomFilterType(BloomType.ROWCOL),
            "f");
    assertThat(table.stores().get(0).getCacheConfig().getBlockCache().orElseThrow())
        .isInstanceOf(CombinedBlockCache.class);
    long fetched = CompactionMetrics.get().fetchedBytes();
    table.awaitCached();
    table.compact();
    table.awaitWarm();
    assertThat(table.readAll()).isZero();
    assertThat(CompactionMetrics.get().fetchedBytes() - fetched).isGreaterThan(ROWS * 600L);
    table.check();
  }
}
