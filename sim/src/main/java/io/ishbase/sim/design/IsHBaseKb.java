package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;

/**
 * Gets by KV-pairs, Scans by blocks, with a cache for each of half the memory (7.2.2). With a
 * threshold it is KB-NET: below that bandwidth what a Scan does not find in the block cache comes
 * as KV-pairs.
 */
final class IsHBaseKb implements Design {
  private final PairCache pairs;
  private final BlockCache blocks;
  private final RegionServer server;
  private final double thetaMbps;

  /**
   * @param thetaMbps 0: Scans are always by blocks
   */
  IsHBaseKb(
      Parameters parameters, Data data, RegionServer server, double cacheBytes, double thetaMbps) {
    pairs = new PairCache(parameters, data, cacheBytes / 2);
    blocks = new BlockCache(data, cacheBytes / 2, parameters.number("bookkeeping.block.bytes"));
    this.server = server;
    this.thetaMbps = thetaMbps;
  }

  @Override
  public boolean goesOn(Read read) {
    if (read.isGet()) {
      return pairs.goesOn(read);
    }
    if (read.hasArrived()) {
      if (read.isBlock()) {
        blocks.take(read);
      } else {
        pairs.take(read);
      }
    }
    blocks.answer(read);
    if (read.isDone()) {
      return false;
    }
    return server.mbps() < thetaMbps ? pairs.fetch(read) : blocks.fetch(read);
  }

  @Override
  public void flushed(int[] keys, int count) {
    pairs.flushed(keys, count);
  }
}
