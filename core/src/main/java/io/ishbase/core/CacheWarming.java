package io.ishbase.core;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * When the rows that in-storage Gets leave in the segment cache are worth that such a Get takes
 * longer than one over blocks, which leaves none there. A gate compares what reads take now, so
 * that alone it would stay with blocks for ever beside an empty cache.
 *
 * <p>For a while it is to bear with Gets that take up to {@link #WORTH} times as long: until the
 * cache has been filled once. Then the times alone decide again, since full caches need not be
 * filled to go on answering. It begins anew
 *
 * <ul>
 *   <li>when the cache answers clearly fewer Gets than after it had been filled: something else is
 *       asked for now, or rows have left;
 *   <li>now and then, after so many times the Gets of a filling that it costs next to nothing, for
 *       what is asked for may have become worth caching. More seldom each time that it was in vain.
 * </ul>
 *
 * A pure state machine. Safe for use by many threads.
 */
public final class CacheWarming {
  /** By what factor a Get may take longer for what it leaves in the cache. */
  static final double WORTH = 1.25;

  /** Gets by which the share that the cache answers is judged, at least and at most. */
  private static final long LEAST_WINDOW = 1000;

  private static final long MOST_WINDOW = 100_000;

  /** The cache answers fewer Gets if it is by so much of their share, and by so much in all. */
  private static final double DROP = 0.2;

  private static final double LEAST_DROP = 0.01;

  /** Gets between two fillings, in those of one filling, and by which factor these may grow. */
  private static final double PAUSE = 20;

  private static final double LONGEST_PAUSE = 50 * PAUSE;

  private final LongSupplier capacityRows;
  private final LongAdder hits = new LongAdder();
  private volatile boolean isOn;

  // Guarded by this.
  private boolean hasBegun;
  private long misses;
  private long windowHits;
  private long windowMisses;
  private long filled;
  private long getsOfFilling;
  private long getsSince;
  private double pause = PAUSE;
  private double hitRatio;
  private double ratioBefore;

  /**
   * Of one family.
   *
   * @param capacityRows rows that the cache holds when it is full, about; 0: there is none
   */
  public CacheWarming(LongSupplier capacityRows) {
    this.capacityRows = capacityRows;
  }

  /** Whether in-storage Gets are to be preferred for what they leave in the cache. */
  public boolean isOn() {
    return isOn;
  }

  /** Takes note of a Get that the cache answered. */
  public void hit() {
    hits.increment();
  }

  /** Takes note of a Get that the cache could have answered, had it had the row. */
  public synchronized void missed(Gate.Route taken) {
    if (!hasBegun) {
      hasBegun = true;
      windowHits = hits.sum();
      begin(0);
    }
    misses++;
    if (isOn && taken == Gate.Route.IN_STORAGE) {
      filled++;
    }
    long gets = hits.sum() - windowHits + misses - windowMisses;
    if (gets >= LEAST_WINDOW) {
      judge(gets);
    }
  }

  private void judge(long gets) {
    long capacity = capacityRows.getAsLong();
    if (gets < Math.min(capacity / 4, MOST_WINDOW)) {
      return;
    }
    double ratio = 1 - (double) (misses - windowMisses) / gets;
    windowHits = hits.sum();
    windowMisses = misses;
    if (isOn) {
      getsOfFilling += gets;
      // While the times speak for blocks nevertheless nothing is filled, and it costs nothing.
      if (filled >= capacity || getsOfFilling >= PAUSE * capacity) {
        end(ratio);
      }
      return;
    }
    getsSince += gets;
    hitRatio = Math.max(hitRatio, ratio);
    boolean dropped = ratio < hitRatio * (1 - DROP) && ratio < hitRatio - LEAST_DROP;
    if (capacity > 0 && (dropped || getsSince >= pause * getsOfFilling)) {
      begin(ratio);
    }
  }

  private void begin(double ratio) {
    isOn = capacityRows.getAsLong() > 0;
    ratioBefore = ratio;
    filled = 0;
    getsOfFilling = 0;
  }

  private void end(double ratio) {
    isOn = false;
    boolean isInVain = ratio < ratioBefore + LEAST_DROP;
    pause = isInVain ? Math.min(2 * pause, LONGEST_PAUSE) : PAUSE;
    hitRatio = ratio;
    getsSince = 0;
  }
}
