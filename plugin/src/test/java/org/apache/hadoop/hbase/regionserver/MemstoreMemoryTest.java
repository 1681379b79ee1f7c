package org.apache.hadoop.hbase.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MemstoreMemoryTest {
  @Test
  void hBasesPoolsFollowTheLimitAndWhatIsNotOneDoesNot() {
    ChunkCreator chunks = new ChunkCreator(1 << 20, false, 100 << 20, 0.5f, 0, null, 0.1f);
    assertThat(MemstoreMemory.follows(chunks.getDataChunksPool())).isTrue();
    assertThat(MemstoreMemory.follows(chunks.getIndexChunksPool())).isTrue();
    assertThat(MemstoreMemory.follows(new Object())).isFalse();
  }

  /** HBase's pools forget them, and the map by which flattened segments find theirs does not. */
  @Test
  void chunksThatPoolsHaveTooManyOfAreLetGo() {
    long limit = 100 << 20;
    ChunkCreator chunks = new ChunkCreator(1 << 20, false, limit, 1, 1, null, 0.1f);
    Chunk inUse = chunks.getChunk();
    int pooled = pooled(chunks);
    assertThat(pooled).isGreaterThan(150);
    for (long bytes : new long[] {99 << 20, 70 << 20, 10 << 20, 3 << 20}) {
      MemstoreMemory.limitPools(chunks, limit, bytes, 0);
      limit = bytes;
      assertThat(pooled(chunks)).isLessThan(pooled);
      pooled = pooled(chunks);
      assertThat(chunks.numberOfMappedChunks()).isEqualTo(pooled + 1);
      assertThat(chunks.getChunk(inUse.getId())).isSameAs(inUse);
    }
    MemstoreMemory.limitPools(chunks, limit, 100 << 20, 0);
    assertThat(pooled(chunks)).isEqualTo(pooled);
    assertThat(chunks.getMaxCount()).isEqualTo(90);
  }

  @Test
  void whatIsInUseIsOfTheLimitToo() {
    ChunkCreator chunks = new ChunkCreator(1 << 20, false, 100 << 20, 1, 1, null, 0.1f);
    List<Chunk> inUse = Stream.generate(chunks::getChunk).limit(60).toList();
    MemstoreMemory.limitPools(chunks, 100 << 20, 80 << 20, 0);
    int most = chunks.getMaxCount();
    assertThat(most).isEqualTo(72);
    assertThat(chunks.getPoolSize(ChunkCreator.ChunkType.DATA_CHUNK)).isEqualTo(most - 60);
    MemstoreMemory.limitPools(chunks, 80 << 20, 40 << 20, 0);
    assertThat(chunks.getPoolSize(ChunkCreator.ChunkType.DATA_CHUNK)).isZero();
    // What memstores give back fills the pool up to its size, as in HBase.
    chunks.putbackChunks(inUse.stream().map(Chunk::getId).limit(30).collect(Collectors.toSet()));
    assertThat(chunks.getPoolSize(ChunkCreator.ChunkType.DATA_CHUNK)).isEqualTo(30);
    assertThat(chunks.getMaxCount()).isEqualTo(36);
    MemstoreMemory.trim(chunks);
    assertThat(chunks.getPoolSize(ChunkCreator.ChunkType.DATA_CHUNK)).isEqualTo(6);
  }

  /** A store with one cell has a chunk to itself; flattened ones have chunks of indexes as well. */
  @Test
  void whatMemstoresHoldIsMoreThanTheirCells() {
    ChunkCreator chunks = new ChunkCreator(1 << 20, false, 400 << 20, 1, 0, null, 0.1f);
    List<Chunk> inUse = Stream.generate(chunks::getChunk).limit(200).toList();
    assertThat(MemstoreMemory.heldBytes(chunks, 200 * 100, 200)).isEqualTo(200L << 20);
    assertThat(MemstoreMemory.heldBytes(chunks, 50L << 20, 1)).isEqualTo(51L << 20);
    chunks.putbackChunks(inUse.stream().map(Chunk::getId).collect(Collectors.toSet()));
    assertThat(MemstoreMemory.heldBytes(chunks, 0, 0)).isZero();
  }

  private static int pooled(ChunkCreator chunks) {
    return chunks.getPoolSize(ChunkCreator.ChunkType.DATA_CHUNK)
        + chunks.getPoolSize(ChunkCreator.ChunkType.INDEX_CHUNK);
  }
}
