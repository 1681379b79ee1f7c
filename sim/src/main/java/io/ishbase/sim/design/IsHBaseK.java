package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;

/** All reads by KV-pairs, with a cache of these for Gets (7.2.2). */
final class IsHBaseK implements Design {
  private final PairCache pairs;

  IsHBaseK(Parameters parameters, Data data, double cacheBytes) {
    pairs = new PairCache(parameters, data, cacheBytes);
  }

  @Override
  public boolean goesOn(Read read) {
    return pairs.goesOn(read);
  }

  @Override
  public void flushed(int[] keys, int count) {
    pairs.flushed(keys, count);
  }
}
