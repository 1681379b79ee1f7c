package org.apache.hadoop.hbase.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemstoreMemoryTest {
  @Test
  void hBasesPoolsFollowTheLimitAndWhatIsNotOneDoesNot() {
    ChunkCreator chunks = new ChunkCreator(1 << 20, false, 100 << 20, 0.5f, 0, null, 0.1f);
    assertThat(MemstoreMemory.follows(chunks.getDataChunksPool())).isTrue();
    assertThat(MemstoreMemory.follows(chunks.getIndexChunksPool())).isTrue();
    assertThat(MemstoreMemory.follows(new Object())).isFalse();
  }
}
