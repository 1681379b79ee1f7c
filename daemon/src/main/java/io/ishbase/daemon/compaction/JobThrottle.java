package io.ishbase.daemon.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;

/**
 * What HBase's compactor calls for each cell it writes: counts, keeps to the rate that the region
 * server allows, and ends a compaction that shall not go on.
 *
 * <p>One thread compacts; any may read the counters and set the rate.
 */
final class JobThrottle implements ThroughputController {
  static final long UNLIMITED = 0;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final BooleanSupplier goesOn;
  private volatile long bytesPerSecond;
  private volatile long cells;
  private volatile long bytes;
  private volatile long steps;
  private double owedBytes;
  private long settledNanos = System.nanoTime();

  JobThrottle(long bytesPerSecond, BooleanSupplier goesOn) {
    this.bytesPerSecond = bytesPerSecond;
    this.goesOn = goesOn;
  }

  void limit(long newBytesPerSecond) {
    bytesPerSecond = newBytesPerSecond;
  }

  long cells() {
    return cells;
  }

  long bytes() {
    return bytes;
  }

  /** Grows with each cell, and as long as one waits for the rate. */
  long steps() {
    return steps;
  }

  @Override
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  public long control(String name, long size) throws InterruptedException {
    cells++;
    bytes += size;
    steps++;
    if (!goesOn.getAsBoolean()) {
      throw new InterruptedException("Cancelled");
    }
    owedBytes += size;
    long start = System.nanoTime();
    while (isTooEarly() && goesOn.getAsBoolean()) {
      TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
      steps++;
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /** Whether it would take longer than a pause to make up for what was written, as of now. */
  private boolean isTooEarly() {
    long now = System.nanoTime();
    double rate = bytesPerSecond;
    if (rate == UNLIMITED) {
      owedBytes = 0;
    } else {
      double bytesPerPause = rate * PAUSE_NANOS / 1e9;
      owedBytes = Math.max(-bytesPerPause, owedBytes - rate * (now - settledNanos) / 1e9);
    }
    settledNanos = now;
    return owedBytes > rate * PAUSE_NANOS / 1e9;
  }

  @Override
  public void setup(RegionServerServices server) {
    // There is no region server here.
  }

  @Override
  public void start(String name) {
    settledNanos = System.nanoTime();
  }

  @Override
  public void finish(String name) {
    // Nothing is held.
  }

  @Override
  public void stop(String why) {
    // The job is cancelled instead.
  }

  @Override
  public boolean isStopped() {
    return !goesOn.getAsBoolean();
  }
}
