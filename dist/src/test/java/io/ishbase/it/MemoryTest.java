package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A region server's memory goes to the segment cache if rows are read; the sum stays. */
@OwnJvm
class MemoryTest {
  private static final long CACHE_BYTES = 2 << 20;

  @Test
  void readsOfRowsMakeTheSegmentCacheLarger() throws Exception {
    try (MemoryLoad load =
        MemoryLoad.start(
            MiniCluster.IN_STORAGE,
            conf -> {
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
              conf.set("ishbase.cache.compression", "none");
              conf.setLong("hfile.block.cache.memory.size", 32 * CACHE_BYTES);
            })) {
      long sum = load.sum();
      long onHeap = load.memstoreBytes() + load.blockCache().getMaxSize();
      MiniCluster.await(
          "a larger segment cache",
          () -> {
            load.read();
            return MemoryLoad.segmentCacheBytes() > 4 * CACHE_BYTES;
          });
      // Who grows gets its part a moment after another has given it.
      MiniCluster.await("the sum", () -> load.sum() > sum - sum / 100 && load.sum() <= sum);
      assertThat(load.memstoreBytes() + load.blockCache().getMaxSize()).isLessThan(onHeap);
      NodesBean.memory().forEach(System.out::println);
      assertThat(NodesBean.memory())
          .anyMatch(line -> line.startsWith("segment cache: "))
          .anyMatch(line -> line.contains("1 GB more would save"));
      assertThat(NodesBean.checkCache()).isEmpty();
    }
  }
}
