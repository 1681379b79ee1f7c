package io.ishbase.plugin.cache;

import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.regionserver.HStore;

/**
 * What rows of the segment cache count as bytes of blocks, so that quotas and limits see a read of
 * them as HBase's own, which counts what its block cache has, too: a block of the family's size for
 * the first row, and another whenever the rows behind are more than that.
 */
final class CachedBlocks {
  private final long blockBytes;

  /** Of the block that the last row lies in. */
  private long rest;

  private long untold;

  CachedBlocks(HStore store) {
    blockBytes = Math.max(1, store.getColumnFamilyDescriptor().getBlocksize());
  }

  /** Counts {@code bytes} of a row. */
  void count(int bytes) {
    rest -= bytes;
    if (rest < 0) {
      long begun = (blockBytes - 1 - rest) / blockBytes * blockBytes;
      rest += begun;
      untold += begun;
    }
  }

  /** Tells, as a {@code KeyValueScanner} records sizes of blocks, what was not told yet. */
  void tell(IntConsumer blockSizes) {
    if (untold > 0) {
      int told = (int) Math.min(untold, Integer.MAX_VALUE);
      untold -= told;
      blockSizes.accept(told);
    }
  }
}
