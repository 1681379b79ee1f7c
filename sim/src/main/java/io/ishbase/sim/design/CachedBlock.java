package io.ishbase.sim.design;

/**
 * What IS-HBase-SA has of a block: some of its cells, or all. Hotness is that of section 6.2, H_i =
 * a R_i + (1 - a) H_(i-1), of each region of the block, where R counts hits and misses of a period.
 */
final class CachedBlock {
  final int number;

  /** Bits of the cells that are there, if not all are. */
  final long[] slots;

  /** How many. */
  int cells;

  boolean complete;

  /** Since the block came, or was upgraded. */
  int misses;

  private final double[] hotness;
  private final int[] accesses;
  private long period;

  CachedBlock(int number, int cellsOfBlock, int regions, long period) {
    this.number = number;
    this.period = period;
    slots = new long[(cellsOfBlock + 63) / 64];
    hotness = new double[regions];
    accesses = new int[regions];
  }

  boolean has(int slot) {
    return complete || (slots[slot >> 6] & 1L << slot) != 0;
  }

  /** Returns whether it is new. */
  boolean add(int slot) {
    boolean isNew = !has(slot);
    if (isNew) {
      slots[slot >> 6] |= 1L << slot;
      cells++;
    }
    return isNew;
  }

  void remove(int slot) {
    slots[slot >> 6] &= ~(1L << slot);
    cells--;
  }

  /** Takes note of a hit or miss. */
  void access(int region, long now, Decay decay) {
    catchUp(now, decay);
    accesses[region]++;
  }

  double hotness(long now, Decay decay) {
    catchUp(now, decay);
    double sum = 0;
    for (int region = 0; region < hotness.length; region++) {
      sum += ofRegion(region, decay);
    }
    return sum;
  }

  /** Of a region; the others must have caught up. */
  double ofRegion(int region, Decay decay) {
    return decay.next(accesses[region], hotness[region]);
  }

  private void catchUp(long now, Decay decay) {
    if (period == now) {
      return;
    }
    double kept = decay.after(now - period - 1);
    for (int region = 0; region < hotness.length; region++) {
      hotness[region] = ofRegion(region, decay) * kept;
      accesses[region] = 0;
    }
    period = now;
  }
}
