package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;

/** HBase: all reads by blocks, through a block cache (7.2.2). */
final class HBaseB implements Design {
  private final BlockCache blocks;

  HBaseB(Parameters parameters, Data data, double cacheBytes) {
    blocks = new BlockCache(data, cacheBytes, parameters.number("bookkeeping.block.bytes"));
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
