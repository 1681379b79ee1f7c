package io.ishbase.core;

/** How long something has not been said, for instance in a log, and how many times. Thread safe. */
public final class Silence {
  private final long everyNanos;
  private long sinceNanos;
  private long count;

  /**
   * @param everyNanos how often it is said at most; for the first time at once
   * @param nowNanos by a clock that is never set back, as for the methods
   */
  public Silence(long everyNanos, long nowNanos) {
    this.everyNanos = everyNanos;
    this.sinceNanos = nowNanos - everyNanos;
  }

  /** How many were kept silent if this one is to be said, else -1: it is kept silent, too. */
  public synchronized long next(long nowNanos) {
    if (!isOver(nowNanos)) {
      count++;
      return -1;
    }
    long before = count;
    count = 0;
    sinceNanos = nowNanos;
    return before;
  }

  /** Whether the next one is to be said. */
  public synchronized boolean isOver(long nowNanos) {
    return nowNanos - sinceNanos >= everyNanos;
  }
}
