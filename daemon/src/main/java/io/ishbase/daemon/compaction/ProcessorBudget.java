package io.ishbase.daemon.compaction;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How much of this machine's processors compactions may use: what everything else, reads above all,
 * leaves idle, but for a reserve that keeps reads from queueing; and a small share in any case. A
 * store with more files than a compaction takes gets more, up to all there is when it blocks
 * writes.
 *
 * <p>What the DataNode does to write the new file counts as somebody else's; it grows and shrinks
 * with the compaction.
 */
final class ProcessorBudget {
  private static final double RESERVE = 0.3;

  private final int processors;
  private final double leastShare;
  private final DoubleSupplier load;
  private final IntSupplier compactions;
  private final LongSupplier clock;
  private final LongAdder usedNanos = new LongAdder();
  private volatile double share = 1;
  private volatile double lastLoad;
  private long sampledNanos;
  private long sampledUsedNanos;

  /**
   * A budget that is not bounded before the first sample.
   *
   * @param leastShare of all processors that compactions get in any case, 0 to 1
   * @param load share of all processors that were busy since the last call, negative if that is not
   *     known
   * @param compactions that are at work
   * @param clock nanoseconds
   */
  ProcessorBudget(
      int processors,
      double leastShare,
      DoubleSupplier load,
      IntSupplier compactions,
      LongSupplier clock) {
    this.processors = processors;
    this.leastShare = leastShare;
    this.load = load;
    this.compactions = compactions;
    this.clock = clock;
    this.sampledNanos = clock.getAsLong();
  }

  /** Looks at the load; to be called every now and then by one thread. */
  void sample() {
    double all = load.getAsDouble();
    long now = clock.getAsLong();
    long used = usedNanos.sum();
    double own = (double) (used - sampledUsedNanos) / Math.max(1, now - sampledNanos) / processors;
    sampledNanos = now;
    sampledUsedNanos = used;
    lastLoad = Math.max(0, all);
    share = all < 0 ? 1 : Math.max(leastShare, 1 - RESERVE - Math.max(0, all - own));
  }

  /** Share of all processors that was busy before the last sample. */
  double lastLoad() {
    return lastLoad;
  }

  /** Takes note of processor time that a compaction has used. */
  void used(long nanos) {
    usedNanos.add(nanos);
  }

  /**
   * Seconds of processor time that a compaction may use each second.
   *
   * @param pressure the store's compaction pressure as HBase defines it; 1 and more: it blocks
   *     writes
   */
  double secondsPerSecond(double pressure) {
    double urgency = Math.min(1, Math.max(0, pressure));
    return (share + urgency * (1 - share)) * processors / Math.max(1, compactions.getAsInt());
  }
}
