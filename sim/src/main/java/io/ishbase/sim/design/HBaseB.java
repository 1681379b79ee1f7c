package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;

/** HBase: all reads by blocks, through a block cache: LRU (7.2.2), or that of HBase 2.6. */
final class HBaseB implements Design {
  private final BlockCache blocks;

  HBaseB(Parameters parameters, Data data, double cacheBytes) {
    double bookkeeping = parameters.number("bookkeeping.block.bytes");
    blocks =
        parameters.is("block.cache", "lru")
            ? new BlockCache(data, cacheBytes, bookkeeping)
            : new BlockCache(
                data,
                new HBaseLru((long) cacheBytes, Math.round(data.blockBytes() + bookkeeping), 0));
  }

  @Override
  public boolean goesOn(Read read) {
    return blocks.goesOn(read);
  }

  @Override
  public void flushed(int[] keys, int count) {
    // Rows have moved to other blocks; the old ones are not asked for any more.
  }
}
