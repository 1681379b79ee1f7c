package io.ishbase.cluster.sample;

/**
 * By how much another machine's clock is ahead of this one's, as exactly as a page's date tells,
 * which comes in whole seconds.
 *
 * @param leastMillis it is not less; negative: it may be behind
 * @param mostMillis it is not more
 */
public record ClockOffset(long leastMillis, long mostMillis) {
  private static final long SECOND = 1000;

  /**
   * From a date that was written between two moments of this clock.
   *
   * @param date milliseconds since the epoch, cut to seconds
   */
  public static ClockOffset of(long date, long before, long after) {
    return new ClockOffset(date - after, date + SECOND - before);
  }

  /** How much two clocks differ at least, in milliseconds; 0 if they may be the same. */
  public long leastDifference(ClockOffset other) {
    return Math.max(0, Math.max(leastMillis - other.mostMillis, other.leastMillis - mostMillis));
  }
}
