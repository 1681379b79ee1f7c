package io.ishbase.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For how long a server whose queue is full will be busy: until half of what waits has been taken,
 * at the pace of late. While a queue is full as many calls are let in as are taken out.
 *
 * <p>The caller says what time it is. Thread safe.
 */
public final class Backlog {
  private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** What took longer to measure was not full all the while. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long LEAST_MILLIS = 10;
  private static final long MOST_MILLIS = 10_000;

  private final AtomicLong accepted = new AtomicLong();
  private long sinceNanos;
  private long acceptedBefore;
  private double perNano;

  /** Whether the pace is that of a time in which the queue was full. */
  private boolean isKnown;

  public Backlog(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** A call was let in. */
  public void accepted() {
    accepted.incrementAndGet();
  }

  /** A call found so many others waiting, and no room: how long to leave the server alone. */
  public synchronized long busyMillis(int waiting, long nowNanos) {
    long nanos = nowNanos - sinceNanos;
    if (nanos >= MEASURED_NANOS) {
      long now = accepted.get();
      isKnown = nanos <= LONGEST_NANOS;
      perNano = (double) (now - acceptedBefore) / nanos;
      acceptedBefore = now;
      sinceNanos = nowNanos;
    }
    // Of a server that takes nothing out: for ever.
    double millis = isKnown ? waiting / 2.0 / perNano / 1e6 : 0;
    return Math.round(Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, millis)));
  }
}
