package io.ishbase.core.hot;

import java.util.function.Consumer;

/**
 * Chooses the hottest intervals of a store. It takes all if they fit. Else it looks at them twice:
 * to count, by heat, the bytes that the intervals' keys take, and to choose those that fit.
 */
public final class Hottest {
  private final long[] bytesByHeat = new long[HotInterval.MAX_HEAT + 1];
  private final int maxBytes;
  private HotIntervals.Builder chosen;
  private boolean isFull;

  /**
   * Intervals that are colder are not chosen; of those that are as hot, this share of the bytes.
   */
  private int coldest = HotInterval.MAX_HEAT;

  private double shareOfColdest;
  private double credit;

  private Hottest(int maxBytes) {
    this.maxBytes = maxBytes;
    chosen = new HotIntervals.Builder(maxBytes);
  }

  /**
   * The hottest.
   *
   * @param maxBytes that they take as bytes, up to {@link HotIntervals#MAX_BYTES}
   * @param walk shows all intervals in the order of their keys; called twice at most
   */
  public static HotIntervals choose(int maxBytes, Consumer<Consumer<HotInterval>> walk) {
    Hottest hottest = new Hottest(maxBytes);
    walk.accept(hottest::weigh);
    if (hottest.isFull) {
      hottest.setLimits();
      walk.accept(hottest::take);
    }
    return hottest.chosen.build();
  }

  private void weigh(HotInterval interval) {
    bytesByHeat[interval.heat()] += HotIntervals.maxBytes(interval);
    isFull = isFull || !chosen.add(interval);
  }

  private void setLimits() {
    chosen = new HotIntervals.Builder(maxBytes);
    long left = maxBytes - HotIntervals.BYTES_BESIDE;
    while (coldest > 1 && bytesByHeat[coldest] <= left) {
      left -= bytesByHeat[coldest--];
    }
    shareOfColdest =
        bytesByHeat[coldest] == 0 ? 1 : Math.min(1, (double) left / bytesByHeat[coldest]);
  }

  private void take(HotInterval interval) {
    int heat = interval.heat();
    if (heat > coldest || heat == coldest && isInShare(HotIntervals.maxBytes(interval))) {
      // What became hot between the two looks may be too much.
      chosen.add(interval);
    }
  }

  // Spread evenly over the store.
  private boolean isInShare(int bytes) {
    credit += shareOfColdest * bytes;
    if (credit < bytes) {
      return false;
    }
    credit -= bytes;
    return true;
  }
}
