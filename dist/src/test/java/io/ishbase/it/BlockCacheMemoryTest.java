package io.ishbase.it;

import org.junit.jupiter.api.Test;

/** A region server's memory goes to the block cache if blocks are read; the sum stays. */
class BlockCacheMemoryTest {
  private static final long CACHE_BYTES = 2 << 20;

  @Test
  void readsOfBlocksMakeTheBlockCacheLarger() throws Exception {
    try (MemoryLoad load =
        MemoryLoad.start(
            MiniCluster.STOCK,
            conf -> {
              conf.setLong("ishbase.cache.bytes", 32 * CACHE_BYTES);
              conf.setLong("hfile.block.cache.memory.size", CACHE_BYTES);
            })) {
      long sum = load.sum();
      MiniCluster.await(
          "a larger block cache",
          () -> {
            load.read();
            return load.blockCache().getMaxSize() > 4 * CACHE_BYTES;
          });
      NodesBean.memory().forEach(System.out::println);
      MiniCluster.await("the sum", () -> load.sum() > sum - sum / 100 && load.sum() <= sum);
    }
  }
}
