package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.sim.design.HBaseLru;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The simulator's model of HBase's block cache, against HBase's on the same reads. HBase's cannot
 * be shut down without a thread that evicts; its other one is a daemon that counts.
 */
class HBaseLruTest {
  private static final int READS = 20_000;
  private static final int BLOCKS = 400;

  /** Takes as much memory as a block of 64 KB, and has nothing in it. */
  private record Block() implements Cacheable {
    @Override
    public long heapSize() {
      return 65_536;
    }

    @Override
    public int getSerializedLength() {
      return 0;
    }

    @Override
    public CacheableDeserializer<Cacheable> getDeserializer() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void serialize(ByteBuffer destination, boolean includeNextBlockMetadata) {}

    @Override
    public BlockType getBlockType() {
      return BlockType.DATA;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 95, 250})
  void theSameReadsFindTheSameBlocks(int blocks) {
    LruBlockCache sizes = new LruBlockCache(1 << 30, 65_536, false);
    long empty = sizes.getCurrentSize();
    sizes.cacheBlock(new BlockCacheKey("file", 0), new Block());
    long blockBytes = sizes.getCurrentSize() - empty;
    long budget = blocks * blockBytes + blockBytes / 3;
    LruBlockCache real = new LruBlockCache(budget, 65_536, false);
    HBaseLru model = new HBaseLru(budget, blockBytes, real.getCurrentSize());
    for (int seed = 1; seed <= 5; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < READS; i++) {
        // Some blocks far more often than others.
        int block = (int) (BLOCKS * Math.pow(random.nextDouble(), 3));
        BlockCacheKey key = new BlockCacheKey("file", block * 65_536L);
        boolean found = real.getBlock(key, true, false, true) != null;
        assertThat(model.touch(block)).as("seed %d, read %d", seed, i).isEqualTo(found);
        if (!found) {
          real.cacheBlock(key, new Block());
          model.add(block);
        }
      }
    }
  }
}
