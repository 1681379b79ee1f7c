package io.ishbase.daemon;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SecondReadCacheTest {
  private static final int BLOCK = 64 << 10;
  private static final int SMALL_BLOCK = 8 << 10;

  private final SecondReadCache cache =
      requireNonNull(SecondReadCache.of(ofBytes(100 * BLOCK), 0), "a cache");

  @AfterEach
  void shutDown() {
    cache.shutdown();
  }

  @Test
  void takesWhatIsReadWhileThereIsRoom() {
    read(BlockType.DATA, 0, 50);
    assertThat(held(0, 50)).isEqualTo(50);
  }

  @Test
  void takesABlockOfDataAtItsSecondReadOnceItIsFull() {
    read(BlockType.DATA, 0, 100);
    long full = cache.getBlockCount();
    assertThat(full).isBetween(80L, 94L);

    read(BlockType.DATA, 1000, 1001);
    assertThat(held(1000, 1001)).isZero();
    read(BlockType.DATA, 1000, 1001);
    assertThat(held(1000, 1001)).isEqualTo(1);
  }

  @Test
  void isNotDrivenOutByWhatIsReadOnce() {
    read(BlockType.DATA, 0, 100);
    int held = held(0, 100);
    read(BlockType.DATA, 1000, 5000);
    assertThat(held(0, 100)).isEqualTo(held);
  }

  @Test
  void forgetsWhatWasReadLongAgo() {
    read(BlockType.DATA, 0, 100);
    read(BlockType.DATA, 1000, 1100);
    read(BlockType.DATA, 10_000, 60_000);
    read(BlockType.DATA, 1000, 1100);
    // Of 2,048 places none is left as it was by 50,000 others, but by a chance of 1 in 10^10.
    assertThat(held(1000, 1100)).isZero();
  }

  /** By their number, not by the size that blocks usually have. */
  @Test
  void remembersAsManySmallBlocks() {
    SecondReadCache ofSmall =
        requireNonNull(SecondReadCache.of(ofBytes(5000L * SMALL_BLOCK), 0), "a cache");
    try {
      for (int block = 0; block < 5000; block++) {
        ofSmall.cacheBlock(key(block), block(BlockType.DATA, SMALL_BLOCK));
      }
      for (int round = 0; round < 2; round++) {
        for (int block = 10_000; block < 12_000; block++) {
          ofSmall.cacheBlock(key(block), block(BlockType.DATA, SMALL_BLOCK));
        }
      }
      int held = 0;
      for (int block = 10_000; block < 12_000; block++) {
        held += ofSmall.containsBlock(key(block)) ? 1 : 0;
      }
      assertThat(held).isGreaterThan(1000);
    } finally {
      ofSmall.shutdown();
    }
  }

  @Test
  void takesIndexesAtOnce() {
    read(BlockType.DATA, 0, 100);
    read(BlockType.LEAF_INDEX, 2000, 2001);
    assertThat(held(2000, 2001)).isEqualTo(1);
  }

  @Test
  void isNoneWhereHBaseHasNone() {
    Configuration conf = new Configuration(false);
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);
    assertThat(SecondReadCache.of(conf, 0)).isNull();
  }

  private static Configuration ofBytes(long bytes) {
    Configuration conf = new Configuration(false);
    float heap = Runtime.getRuntime().maxMemory();
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, bytes / heap);
    return conf;
  }

  private void read(BlockType type, int from, int to) {
    for (int block = from; block < to; block++) {
      cache.cacheBlock(key(block), block(type, BLOCK));
    }
  }

  private int held(int from, int to) {
    int held = 0;
    for (int block = from; block < to; block++) {
      held += cache.containsBlock(key(block)) ? 1 : 0;
    }
    return held;
  }

  private static BlockCacheKey key(int block) {
    return new BlockCacheKey("file", (long) block * BLOCK);
  }

  private static HFileBlock block(BlockType type, int bytes) {
    return new HFileBlock(
        type,
        bytes,
        bytes,
        -1,
        ByteBuff.wrap(ByteBuffer.allocate(bytes)),
        HFileBlock.FILL_HEADER,
        0,
        bytes,
        bytes,
        new HFileContextBuilder().build(),
        ByteBuffAllocator.HEAP);
  }

  @Test
  void makesRoomForWhatOthersWerePromised() {
    long heap = Runtime.getRuntime().maxMemory();
    Configuration conf = ofBytes(heap / 2);
    assertThat(size(conf, 0)).isBetween(heap / 2 - heap / 100, heap / 2 + heap / 100);
    assertThat(size(conf, heap - heap / 4)).isEqualTo(heap / 4);
    assertThat(size(conf, 2 * heap)).isEqualTo(heap / 64);
  }

  private static long size(Configuration conf, long others) {
    SecondReadCache made = requireNonNull(SecondReadCache.of(conf, others), "a cache");
    try {
      return made.getMaxSize();
    } finally {
      made.shutdown();
    }
  }
}
