package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Where HBase moves memory itself, nobody else does. */
@OwnJvm
class HeapMemoryManagerTest {
  private static final long CACHE_BYTES = 2 << 20;

  @Test
  void hBasesOwnManagerIsLeftAlone() throws Exception {
    try (MemoryLoad load =
        MemoryLoad.start(
            MiniCluster.STOCK,
            conf -> {
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
              conf.setFloat("hbase.regionserver.global.memstore.size.min.range", 0.2f);
              conf.setFloat("hbase.regionserver.global.memstore.size.max.range", 0.5f);
              conf.setFloat("hfile.block.cache.size.min.range", 0.2f);
              conf.setFloat("hfile.block.cache.size.max.range", 0.5f);
            })) {
      load.read();
      assertThat(NodesBean.memory())
          .singleElement()
          .asString()
          .contains("HeapMemoryManager moves memory already");
      assertThat(MemoryLoad.segmentCacheBytes()).isEqualTo(CACHE_BYTES);
    }
  }
}
