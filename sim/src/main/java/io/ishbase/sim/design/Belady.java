package io.ishbase.sim.design;

import java.util.TreeSet;

/** The rows that are asked for next, so many of them. */
final class Belady implements KnowingCache.Rows {
  private final int capacity;

  /** Of each row, where its times begin; those of the next row are behind them. */
  private final int[] first;

  private final int[] times;

  /** How often each row was asked for. */
  private final int[] asked;

  /** Of each row that is held, when it will be asked for. No two have the same time. */
  private final TreeSet<Integer> held = new TreeSet<>();

  /**
   * @param first of each row, where its times begin in {@code times}, and one more for the end
   * @param times when each row is asked for, each moment once
   */
  Belady(int capacity, int[] first, int[] times) {
    this.capacity = capacity;
    this.first = first;
    this.times = times;
    asked = new int[first.length - 1];
  }

  @Override
  public boolean asked(int row) {
    int at = first[row] + asked[row];
    asked[row]++;
    boolean isHeld = held.remove(times[at]);
    if (at + 1 < first[row + 1]) {
      held.add(times[at + 1]);
      if (held.size() > capacity) {
        held.pollLast();
      }
    }
    return isHeld;
  }
}
