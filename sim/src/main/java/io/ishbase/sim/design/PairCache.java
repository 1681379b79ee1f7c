package io.ishbase.sim.design;

import io.ishbase.sim.workload.Parameters;

/** Reads by KV-pairs: Gets through an LRU of them, Scans past it. What comes is cached. */
final class PairCache {
  private final Data data;
  private final Lru pairs;
  private final int pairsOfRpc;

  /**
   * @param bytes that the pairs may take
   */
  PairCache(Parameters parameters, Data data, double bytes) {
    this.data = data;
    pairs =
        new Lru((long) (bytes / (data.cellBytes() + parameters.number("bookkeeping.cell.bytes"))));
    pairsOfRpc = parameters.whole("scan.rpc.cells");
  }

  boolean goesOn(Read read) {
    if (read.hasArrived()) {
      take(read);
    } else if (read.isGet() && pairs.touch(read.key())) {
      read.done = 1;
    }
    return !read.isDone() && fetch(read);
  }

  void take(Read read) {
    for (int i = 0; i < read.count(); i++) {
      if (read.isGet() || data.passes(read.from() + i)) {
        pairs.add(read.from() + i);
      }
    }
    read.done += read.count();
  }

  boolean fetch(Read read) {
    int rows = Math.min(pairsOfRpc, read.rows() - read.done);
    int cells = read.isGet() ? 1 : data.passing(read.next(), rows);
    return read.fetchCells(read.next(), rows, cells, (long) cells * data.cellBytes());
  }

  void flushed(int[] keys, int count) {
    for (int i = 0; i < count; i++) {
      pairs.remove(keys[i]);
    }
  }
}
