package io.ishbase.plugin.blockwarmup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.junit.jupiter.api.Test;

class FilledMissesTest {
  private static final BlockCacheKey HELD = new BlockCacheKey("file", 0);
  private static final BlockCacheKey MISSED = new BlockCacheKey("file", 100);

  private final LruBlockCache original = new LruBlockCache(1 << 20, 1 << 10, false);

  private static final class Block implements Cacheable {
    @Override
    public long heapSize() {
      return 100;
    }

    @Override
    public int getSerializedLength() {
      return 100;
    }

    @Override
    public void serialize(ByteBuffer destination, boolean includeNextBlockMetadata) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CacheableDeserializer<Cacheable> getDeserializer() {
      throw new UnsupportedOperationException();
    }

    @Override
    public BlockType getBlockType() {
      return BlockType.DATA;
    }
  }

  private static Cacheable get(BlockCache cache, BlockCacheKey key) {
    return cache.getBlock(key, true, true, true);
  }

  @Test
  void aMissIsFilledAndAHitIsNot() {
    Block held = new Block();
    Block filled = new Block();
    original.cacheBlock(HELD, held);
    BlockCache cache = FilledMisses.of(original, (key, caching, repeat) -> filled);
    assertThat(get(cache, HELD)).isSameAs(held);
    assertThat(get(cache, MISSED)).isSameAs(filled);
    assertThat(cache.getBlockCount()).isEqualTo(1);
  }

  @Test
  void aFillerThatFailsMakesAMiss() {
    for (Exception failure :
        new Exception[] {
          new IOException("of the network"), new IllegalStateException("closed"), new Exception()
        }) {
      BlockCache cache =
          FilledMisses.of(
              original,
              (key, caching, repeat) -> {
                throw failure;
              });
      assertThat(get(cache, MISSED)).as("%s", failure).isNull();
    }
  }

  @Test
  void whatTheCacheItselfThrowsIsThrownAsItIs() {
    BlockCache cache = FilledMisses.of(original, (key, caching, repeat) -> null);
    assertThatThrownBy(() -> cache.cacheBlock(null, null)).isInstanceOf(NullPointerException.class);
  }
}
