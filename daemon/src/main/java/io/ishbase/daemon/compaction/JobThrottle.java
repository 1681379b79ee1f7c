package io.ishbase.daemon.compaction;

import io.ishbase.core.compaction.ProcessorBudget;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;

/**
 * What HBase's compactor calls for each cell it writes: counts, keeps to the rate that the region
 * server allows and to the processor time that this machine can spare, and ends a compaction that
 * shall not go on.
 *
 * <p>One thread compacts; any may read the counters, and set the rate and the pressure.
 */
final class JobThrottle implements ThroughputController {
  static final long UNLIMITED = 0;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Shorter pauses would cost more than they are worth. */
  private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  /** Bytes of cells between two looks at the processor time. */
  private static final long LOOK_BYTES = 16 << 10;

  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  private final ProcessorBudget budget;
  private final BooleanSupplier goesOn;
  private volatile long bytesPerSecond;
  private volatile double pressure;
  private volatile long cells;
  private volatile long bytes;
  private volatile long copiedBlocks;
  private volatile long steps;
  private volatile long heldBackNanos;
  private double owedBytes;
  private long settledNanos = System.nanoTime();
  private long lookBytes;
  private long cpuNanos = -1;
  private double owedCpuNanos;
  private long cpuSettledNanos;

  /**
   * For a compaction.
   *
   * @param bytesPerSecond of the cells written; 0: any rate
   * @param pressure of its store, see {@link ProcessorBudget#secondsPerSecond}
   */
  JobThrottle(
      ProcessorBudget budget, long bytesPerSecond, double pressure, BooleanSupplier goesOn) {
    this.budget = budget;
    this.bytesPerSecond = bytesPerSecond;
    this.pressure = pressure;
    this.goesOn = goesOn;
  }

  /** Sets rate and pressure anew. */
  void limit(long newBytesPerSecond, double newPressure) {
    bytesPerSecond = newBytesPerSecond;
    pressure = newPressure;
  }

  long cells() {
    return cells;
  }

  long bytes() {
    return bytes;
  }

  /** Blocks that were copied as they lay. */
  long copiedBlocks() {
    return copiedBlocks;
  }

  /** For how long it has waited because the processors were busy. */
  long heldBackMillis() {
    return TimeUnit.NANOSECONDS.toMillis(heldBackNanos);
  }

  /** Grows with each cell, and as long as one waits for the rate. */
  long steps() {
    return steps;
  }

  @Override
  public long control(String name, long size) throws InterruptedException {
    return control(1, size);
  }

  /**
   * The same for a block that was copied.
   *
   * @param cellBytes what its cells would be counted as
   * @throws InterruptedException if the compaction shall not go on
   */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  void copied(long cellsInBlock, long cellBytes) throws InterruptedException {
    copiedBlocks++;
    control(cellsInBlock, cellBytes);
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  private long control(long newCells, long size) throws InterruptedException {
    cells += newCells;
    bytes += size;
    steps++;
    if (!goesOn.getAsBoolean()) {
      throw new InterruptedException("Cancelled");
    }
    owedBytes += size;
    lookBytes += size;
    long start = System.nanoTime();
    while (isTooEarly() && goesOn.getAsBoolean()) {
      pause(PAUSE_NANOS);
    }
    if (lookBytes >= LOOK_BYTES) {
      spareProcessors();
      lookBytes = 0;
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  private void pause(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
    steps++;
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

  /** Pauses until the processor time used so far has been allowed. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the compacting thread alone
  private void spareProcessors() throws InterruptedException {
    long cpu = TIMES.getCurrentThreadCpuTime();
    if (cpuNanos < 0) {
      cpuNanos = cpu;
      cpuSettledNanos = System.nanoTime();
    }
    long used = cpu - cpuNanos;
    cpuNanos = cpu;
    budget.used(used, lookBytes);
    owedCpuNanos += used;
    while (goesOn.getAsBoolean()) {
      double allowed = budget.secondsPerSecond(pressure);
      long now = System.nanoTime();
      // What was not used is not saved up.
      owedCpuNanos = Math.max(0, owedCpuNanos - allowed * (now - cpuSettledNanos));
      cpuSettledNanos = now;
      long pause = (long) (owedCpuNanos / allowed);
      if (pause < LEAST_PAUSE_NANOS) {
        return;
      }
      pause(Math.min(PAUSE_NANOS, pause));
      heldBackNanos += System.nanoTime() - now;
    }
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
