package io.ishbase.core.compaction;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How much of this machine's processors compactions may use: all of them while hardly anything else
 * runs; else what reads and everything else leave idle, but for a reserve that keeps reads from
 * queueing; and a small share in any case. A store with more files than a compaction takes gets
 * more, up to all there is when it blocks writes.
 */
public final class ProcessorBudget {
  /** What stays idle beside others. */
  private static final double RESERVE = 0.3;

  /** Others that use less are not held up by compactions, or are a compaction's own helpers. */
  private static final double QUIET = 0.2;

  /**
   * Processor time that the DataNode, HDFS's client and the collector spend for each byte that a
   * compaction writes, as measured with one replica and cells that are not compressed.
   */
  private static final double HELP_NANOS_PER_BYTE = 4;

  /** Of the newest sample in the mean load of others; what lasts for less than a second is none. */
  private static final double NEWEST = 0.25;

  private final int processors;
  private final double leastShare;
  private final DoubleSupplier load;
  private final LongSupplier compilerNanos;
  private final IntSupplier compactions;
  private final LongSupplier clock;
  private final AtomicLong usedNanos = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();
  private volatile double share = 1;
  private volatile double othersLoad;
  private long sampledNanos;
  private long sampledCompilerNanos;

  /**
   * A budget that is not bounded before the first sample.
   *
   * @param leastShare of all processors that compactions get in any case, 0 to 1
   * @param load share of all processors that were busy since the last call, negative if that is not
   *     known
   * @param compilerNanos what the compiler of this JVM has used so far: it is not held up
   * @param compactions that are at work
   * @param clock nanoseconds
   */
  public ProcessorBudget(
      int processors,
      double leastShare,
      DoubleSupplier load,
      LongSupplier compilerNanos,
      IntSupplier compactions,
      LongSupplier clock) {
    this.processors = processors;
    this.leastShare = leastShare;
    this.load = load;
    this.compilerNanos = compilerNanos;
    this.compactions = compactions;
    this.clock = clock;
    this.sampledNanos = clock.getAsLong();
    this.sampledCompilerNanos = compilerNanos.getAsLong();
  }

  /** Looks at the load; to be called four times a second by one thread. */
  public void sample() {
    double all = load.getAsDouble();
    long now = clock.getAsLong();
    double nanos = (double) Math.max(1, now - sampledNanos) * processors;
    sampledNanos = now;
    double own = usedNanos.getAndSet(0) / nanos;
    double helpers = writtenBytes.getAndSet(0) * HELP_NANOS_PER_BYTE / nanos;
    long compiledNanos = compilerNanos.getAsLong();
    double compiler = (compiledNanos - sampledCompilerNanos) / nanos;
    sampledCompilerNanos = compiledNanos;
    double others = Math.max(0, all - own - helpers - compiler);
    othersLoad = all < 0 ? 0 : (1 - NEWEST) * othersLoad + NEWEST * others;
    share = othersLoad < QUIET ? 1 : Math.max(leastShare, own + change(1 - all - RESERVE));
  }

  /**
   * Gives way by halves: another daemon on the machine may do the same at the same time, and
   * neither would go on.
   */
  private static double change(double spare) {
    return spare < 0 ? spare / 2 : spare;
  }

  /** Share of all processors that was busy with other things lately. */
  public double othersLoad() {
    return othersLoad;
  }

  /** Takes note of processor time that a compaction has used to write so many bytes of cells. */
  public void used(long nanos, long bytes) {
    usedNanos.addAndGet(nanos);
    writtenBytes.addAndGet(bytes);
  }

  /**
   * Seconds of processor time that a compaction may use each second.
   *
   * @param pressure the store's compaction pressure as HBase defines it; 1 and more: it blocks
   *     writes
   */
  public double secondsPerSecond(double pressure) {
    double urgency = Math.min(1, Math.max(0, pressure));
    return (share + urgency * (1 - share)) * processors / Math.max(1, compactions.getAsInt());
  }
}
