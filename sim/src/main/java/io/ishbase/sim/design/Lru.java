package io.ishbase.sim.design;

import java.util.Arrays;

/** The numbers that were used last, of which the oldest goes when there are too many. */
final class Lru implements Blocks {
  private static final int NONE = -1;

  private final int capacity;

  /** First entry of each chain of equal hashes. */
  private final int[] chains;

  private final int[] chained;
  private final int[] numbers;
  private final int[] older;
  private final int[] newer;
  private int size;
  private int free = NONE;
  private int oldest = NONE;
  private int newest = NONE;

  Lru(long capacity) {
    this.capacity = (int) Math.min(capacity, 1 << 28);
    chains = new int[Integer.highestOneBit(Math.max(8, this.capacity)) * 2];
    Arrays.fill(chains, NONE);
    chained = new int[this.capacity];
    numbers = new int[this.capacity];
    older = new int[this.capacity];
    newer = new int[this.capacity];
  }

  /** Whether it is there; it is the newest then. */
  @Override
  public boolean touch(int number) {
    int entry = find(number);
    if (entry == NONE) {
      return false;
    }
    if (entry != newest) {
      unlink(entry);
      link(entry);
    }
    return true;
  }

  /** Takes it in as the newest; the oldest may have to go. */
  @Override
  public void add(int number) {
    if (capacity == 0 || touch(number)) {
      return;
    }
    if (size == capacity) {
      remove(numbers[oldest]);
    }
    int entry = free == NONE ? size : free;
    free = free == NONE ? NONE : chained[free];
    size++;
    numbers[entry] = number;
    int chain = chain(number);
    chained[entry] = chains[chain];
    chains[chain] = entry;
    link(entry);
  }

  void remove(int number) {
    int chain = chain(number);
    int before = NONE;
    int entry = chains[chain];
    while (entry != NONE && numbers[entry] != number) {
      before = entry;
      entry = chained[entry];
    }
    if (entry == NONE) {
      return;
    }
    if (before == NONE) {
      chains[chain] = chained[entry];
    } else {
      chained[before] = chained[entry];
    }
    unlink(entry);
    chained[entry] = free;
    free = entry;
    size--;
  }

  /** The number that was used longest ago; there must be one. */
  int oldest() {
    return numbers[oldest];
  }

  int size() {
    return size;
  }

  private int find(int number) {
    int entry = chains[chain(number)];
    while (entry != NONE && numbers[entry] != number) {
      entry = chained[entry];
    }
    return entry;
  }

  private int chain(int number) {
    return number * 0x9E3779B9 >>> 1 & chains.length - 1;
  }

  private void link(int entry) {
    older[entry] = newest;
    newer[entry] = NONE;
    if (newest != NONE) {
      newer[newest] = entry;
    } else {
      oldest = entry;
    }
    newest = entry;
  }

  private void unlink(int entry) {
    if (older[entry] != NONE) {
      newer[older[entry]] = newer[entry];
    } else {
      oldest = newer[entry];
    }
    if (newer[entry] != NONE) {
      older[newer[entry]] = older[entry];
    } else {
      newest = older[entry];
    }
  }
}
