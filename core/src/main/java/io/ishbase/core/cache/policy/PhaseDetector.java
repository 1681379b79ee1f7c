package io.ishbase.core.cache.policy;

/**
 * Tells from the share of misses whether something else is asked for than before, so that what was
 * hot says little about what will be. A change begins when the share rises well above the usual one
 * and ends when it is near it again, or the usual one has risen. A pure state machine.
 */
final class PhaseDetector {
  /** Gets of a window, for each entry of the cache. */
  private static final double WINDOW = 0.1;

  private static final int MIN_WINDOW = 500;
  private static final double BEGIN_ABOVE_USUAL = 1.3;

  /** Standard deviations of a window's share by which it must be above, besides. */
  private static final double SIGNIFICANT = 5;

  private static final double END_ABOVE_USUAL = 1.15;

  /** By how much a window with fewer misses, or with more, changes what is usual. */
  private static final double WEIGHT_OF_BETTER = 0.1;

  private static final double WEIGHT_OF_WORSE = 0.02;

  private long hitsBefore;
  private long missesBefore;
  private double usual = 1;
  private boolean isChanging;

  /**
   * Takes note of how many Gets were hits and misses so far.
   *
   * @param entries of the cache
   */
  void observe(long hits, long misses, long entries) {
    long missed = misses - missesBefore;
    long gets = hits - hitsBefore + missed;
    // Counters of a store that was closed are gone.
    boolean isAnew = missed < 0 || gets < missed;
    if (!isAnew && gets < Math.max(MIN_WINDOW, WINDOW * entries)) {
      return;
    }
    hitsBefore = hits;
    missesBefore = misses;
    if (isAnew) {
      return;
    }
    double share = (double) missed / gets;
    isChanging =
        share
            > (isChanging
                ? END_ABOVE_USUAL * usual
                : BEGIN_ABOVE_USUAL * usual + SIGNIFICANT * Math.sqrt((usual + 1.0 / gets) / gets));
    usual += (share - usual) * (share < usual ? WEIGHT_OF_BETTER : WEIGHT_OF_WORSE);
  }

  boolean isChanging() {
    return isChanging;
  }
}
