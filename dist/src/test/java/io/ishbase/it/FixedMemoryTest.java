package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What HBase cannot change stays, and what it takes of the heap is not there for others. */
@OwnJvm
class FixedMemoryTest {
  private static final double SHARE_OF_BLOCK_CACHE = 0.3;
  private static final double MEGABYTE = 1 << 20;

  @Test
  void theHeapOfABucketCacheIsNotGivenToMemstores() throws Exception {
    try (MemoryLoad load =
        MemoryLoad.start(
            MiniCluster.STOCK,
            conf -> {
              conf.setLong("ishbase.cache.bytes", 64 << 20);
              conf.set("hbase.bucketcache.ioengine", "offheap");
              conf.set("hbase.bucketcache.size", "32");
              conf.set("hfile.block.cache.size", String.valueOf(SHARE_OF_BLOCK_CACHE));
            })) {
      load.read();
      Matcher limit =
          Pattern.compile("([0-9.]+) MB on the heap at most").matcher(NodesBean.memory().get(0));
      assertThat(limit.find()).isTrue();
      double heap = Runtime.getRuntime().maxMemory() / MEGABYTE;
      assertThat(Double.parseDouble(limit.group(1)))
          .isLessThanOrEqualTo((0.8 - SHARE_OF_BLOCK_CACHE) * heap + 1);
      assertThat(NodesBean.memory())
          .contains("the block cache stays, HBase cannot change the size of a CombinedBlockCache");
    }
  }
}
