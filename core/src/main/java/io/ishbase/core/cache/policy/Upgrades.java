package io.ishbase.core.cache.policy;

/**
 * Decides when a miss of a point read is to fetch a whole stretch of rows: the upgrade of a partial
 * block to a complete one (IS-HBase, TOS 2022, section 6). It does when misses in the neighbourhood
 * of the row pass a threshold within a period. The threshold
 *
 * <ul>
 *   <li>is well above what an average neighbourhood misses: if all are alike, none is hot;
 *   <li>rises with network traffic, up to {@link #LOADED} times when it is what it was at its peak;
 *   <li>rises with the inverse of the share of rows that came by earlier upgrades and were hit
 *       before they left. With nothing to learn from, that share is forgotten again, so that a
 *       change of workload is noticed.
 * </ul>
 *
 * A pure state machine; times are in nanoseconds from any origin. Safe for use by many threads.
 */
public final class Upgrades {
  static final long PERIOD_NANOS = 10_000_000_000L;
  static final int MIN_MISSES = 8;

  /** How far above the average neighbourhood's the misses of a hot one are. */
  static final double ABOVE_AVERAGE = 3;

  static final double LOADED = 2;

  private static final double TRAFFIC_WINDOW_NANOS = 1e9;
  private static final double PEAK_KEPT_PER_WINDOW = 0.999;

  /** The share of useful rows that is believed in at first. */
  private static final double USEFUL_AT_FIRST = 0.5;

  private static final double MIN_USEFUL = 0.05;
  private static final double WEIGHT_OF_ROW = 1.0 / 512;
  private static final double FORGOTTEN_PER_PERIOD = 0.05;

  private double useful = USEFUL_AT_FIRST;
  private long forgetAtPeriod;

  private long windowBegin;
  private boolean windowOpen;
  private double windowBytes;
  private double rate;
  private double peakRate;

  /** Misses of a neighbourhood of rows, since it was hot last or within a period. */
  public static final class Misses {
    public static final int OBJECT_BYTES = 40;
    private double count;
    private long sinceNanos;
    private long ofStoreBefore;
  }

  /** Misses of a store. */
  public static final class StoreMisses {
    private long count;
  }

  /**
   * Takes note of a miss.
   *
   * @param here misses of its neighbourhood
   * @param store misses of all the store
   * @param neighbourhoods how many of them the store has
   * @return whether a stretch is to be fetched
   */
  public synchronized boolean missed(
      Misses here, StoreMisses store, int neighbourhoods, long nanos) {
    forget(Math.floorDiv(nanos, PERIOD_NANOS));
    if (here.count == 0 || nanos - here.sinceNanos > PERIOD_NANOS) {
      here.count = 0;
      here.sinceNanos = nanos;
      here.ofStoreBefore = store.count;
    }
    here.count++;
    store.count++;
    double average = (double) (store.count - here.ofStoreBefore) / neighbourhoods;
    if (here.count < Math.max(MIN_MISSES, ABOVE_AVERAGE * average) * factor()) {
      return false;
    }
    here.count = 0;
    return true;
  }

  /** Divides a neighbourhood in two. */
  public synchronized void split(Misses left, Misses right) {
    left.count /= 2;
    right.count = left.count;
    right.sinceNanos = left.sinceNanos;
    right.ofStoreBefore = left.ofStoreBefore;
  }

  /** By how much the threshold is above its least. */
  synchronized double factor() {
    double load = peakRate > 0 ? rate / peakRate : 0;
    double doubt = USEFUL_AT_FIRST / Math.max(useful, MIN_USEFUL);
    return (1 + (LOADED - 1) * load) * doubt;
  }

  /** Takes note of bytes that came from storage. */
  public synchronized void traffic(long bytes, long nanos) {
    if (!windowOpen) {
      windowOpen = true;
      windowBegin = nanos;
    }
    double windows = (nanos - windowBegin) / TRAFFIC_WINDOW_NANOS;
    if (windows >= 1) {
      rate = windowBytes / windows;
      peakRate = Math.max(rate, peakRate * Math.pow(PEAK_KEPT_PER_WINDOW, windows));
      windowBegin = nanos;
      windowBytes = 0;
    }
    windowBytes += bytes;
  }

  /** A row that came by an upgrade was hit, or left without. */
  public synchronized void settled(boolean hit) {
    useful += ((hit ? 1 : 0) - useful) * WEIGHT_OF_ROW;
  }

  private void forget(long period) {
    if (period > forgetAtPeriod) {
      forgetAtPeriod = period;
      useful += (USEFUL_AT_FIRST - useful) * FORGOTTEN_PER_PERIOD;
    }
  }
}
