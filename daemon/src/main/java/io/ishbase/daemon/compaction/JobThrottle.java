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
  private long paidUntil;

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

  @Override
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  public long control(String name, long size) throws InterruptedException {
    cells++;
    bytes += size;
    if (!goesOn.getAsBoolean()) {
      throw new InterruptedException("Cancelled");
    }
    long rate = bytesPerSecond;
    if (rate == UNLIMITED) {
      return 0;
    }
    long now = System.nanoTime();
    paidUntil = Math.max(paidUntil, now - PAUSE_NANOS) + size * 1_000_000_000L / rate;
    long start = now;
    while (paidUntil - now > PAUSE_NANOS && goesOn.getAsBoolean()) {
      TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
      now = System.nanoTime();
    }
    return TimeUnit.NANOSECONDS.toMillis(now - start);
  }

  @Override
  public void setup(RegionServerServices server) {
    // There is no region server here.
  }

  @Override
  public void start(String name) {
    paidUntil = System.nanoTime();
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
