package io.ishbase.daemon.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How fast compactions went. What was measured ten minutes ago counts half: a worker that was slow
 * once, and got no more work for it, shall be thought as fast as the others in the end.
 */
final class MeasuredSpeed {
  private static final double HALF_LIFE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final LongSupplier clock;
  private double bytes;
  private double millis;
  private long measuredNanos;

  /** {@code clock}: nanoseconds. */
  MeasuredSpeed(LongSupplier clock) {
    this.clock = clock;
    this.measuredNanos = clock.getAsLong();
  }

  /** Takes note of a compaction of so many bytes that took so long. */
  synchronized void add(long moreBytes, long moreMillis) {
    forget();
    bytes += moreBytes;
    millis += Math.max(1, moreMillis);
  }

  private void forget() {
    long now = clock.getAsLong();
    double left = Math.pow(0.5, (now - measuredNanos) / HALF_LIFE_NANOS);
    bytes *= left;
    millis *= left;
    measuredNanos = now;
  }

  /** Of how many bytes the speed is the mean; older ones count less. */
  synchronized long bytes() {
    forget();
    return (long) bytes;
  }

  /** Mean speed of a compaction; 0: none was measured. */
  synchronized long bytesPerSecond() {
    return millis == 0 ? 0 : (long) (bytes * 1000 / millis);
  }
}
