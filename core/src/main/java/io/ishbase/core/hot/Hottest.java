package io.ishbase.core.hot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Chooses the hottest intervals of a store. It looks at all of them twice: to count, by heat, the
 * bytes that the intervals' keys take, and to choose those that fit.
 */
public final class Hottest {
  private final long[] bytesByHeat = new long[HotInterval.MAX_HEAT + 1];
  private final List<HotInterval> chosen = new ArrayList<>();

  /**
   * Intervals that are colder are not chosen; of those that are as hot, this share of the bytes.
   */
  private int coldest = HotInterval.MAX_HEAT;

  private double shareOfColdest;
  private double credit;

  private Hottest() {}

  /**
   * The hottest, in the order of their keys, few enough for {@link HotIntervals#encode}.
   *
   * @param walk shows all intervals in the order of their keys; called twice
   */
  public static List<HotInterval> choose(Consumer<Consumer<HotInterval>> walk) {
    Hottest hottest = new Hottest();
    walk.accept(interval -> hottest.bytesByHeat[interval.heat()] += bytes(interval));
    hottest.setLimits(HotIntervals.MAX_BYTES_OF_INTERVALS);
    walk.accept(hottest::take);
    return hottest.chosen;
  }

  private static int bytes(HotInterval interval) {
    return HotIntervals.maxBytes(interval.from(), interval.to());
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
