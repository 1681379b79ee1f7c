package io.ishbase.plugin.blockwarmup;

import java.util.concurrent.TimeUnit;

/** Spreads the throttled warm-ups of a region server over time. Guarded by itself. */
final class Pace {
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long bytesPerSecond;
  private long paidUntil = System.nanoTime();

  Pace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Nanoseconds to wait before so many bytes are fetched. */
  synchronized long nanosFor(long bytes) {
    long now = System.nanoTime();
    paidUntil = Math.max(paidUntil, now - BURST_NANOS);
    long wait = Math.max(0, paidUntil - now);
    paidUntil += bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    return wait;
  }
}
