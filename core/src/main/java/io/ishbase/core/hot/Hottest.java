package io.ishbase.core.hot;

import java.util.function.Consumer;

/**
 * Chooses the hottest intervals of a store. It looks at all of them twice: to count, by heat, the
 * bytes that the intervals' keys take, and to choose those that fit.
 */
public final class Hottest {
  private final long[] bytesByHeat = new long[HotInterval.MAX_HEAT + 1];
  private final HotIntervals.Builder chosen;

  /**
   * Intervals that are colder are not chosen; of those that are as hot, this share of the bytes.
   */
  private int coldest = HotInterval.MAX_HEAT;

  private double shareOfColdest;
  private double credit;

  private Hottest(int maxBytes) {
    chosen = new HotIntervals.Builder(maxBytes);
  }

  /**
   * The hottest.
   *
   * @param maxBytes that they take as bytes, up to {@link HotIntervals#MAX_BYTES}
   * @param walk shows all intervals in the order of their keys; called twice
   */
  public static HotIntervals choose(int maxBytes, Consumer<Consumer<HotInterval>> walk) {
    Hottest hottest = new Hottest(maxBytes);
    walk.accept(interval -> hottest.bytesByHeat[interval.heat()] += bytes(interval));
    hottest.setLimits(maxBytes - HotIntervals.BYTES_BESIDE);
    walk.accept(hottest::take);
    return hottest.chosen.build();
  }

  private static int bytes(HotInterval interval) {
    return HotIntervals.maxBytes(interval);
  }

  private void setLimits(long maxBytes) {
    long left = maxBytes;
    while (coldest > 1 && bytesByHeat[coldest] <= left) {
      left -= bytesByHeat[coldest--];
    }
    shareOfColdest =
        bytesByHeat[coldest] == 0 ? 1 : Math.min(1, (double) left / bytesByHeat[coldest]);
  }

  private void take(HotInterval interval) {
    int heat = interval.heat();
    if (heat > coldest || heat == coldest && isInShare(bytes(interval))) {
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
