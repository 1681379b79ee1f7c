package io.ishbase.core.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Spreads the throttled warm-ups of a region server over time. Thread safe. */
public final class WarmUpThrottle {
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long bytesPerSecond;
  private final LongSupplier clock;
  private long paidUntil;

  /** {@code clock}: nanoseconds. */
  public WarmUpThrottle(long bytesPerSecond, LongSupplier clock) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.paidUntil = clock.getAsLong();
  }

  /** Nanoseconds to wait before so many bytes are fetched. */
  public synchronized long nanosFor(long bytes) {
    long now = clock.getAsLong();
    paidUntil = Math.max(paidUntil, now - BURST_NANOS);
    long wait = Math.max(0, paidUntil - now);
    paidUntil += bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    return wait;
  }
}
