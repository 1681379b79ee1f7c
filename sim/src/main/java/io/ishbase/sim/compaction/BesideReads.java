package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.workload.Parameters;
import java.util.List;

/**
 * One compaction of files that lie at a storage node whose processors are busy with reads too: it
 * has of them what the shipped {@link ProcessorBudget} gives it.
 */
public final class BesideReads {
  /** Between two looks of the budget at the load, as the daemon does. */
  private static final long SAMPLE_NANOS = 250_000_000;

  private final EventLoop loop = new EventLoop();
  private final EventLoop.Timer sample = new EventLoop.Timer(this::sample);
  private final double readShare;
  private final double pressure;
  private final double mergeNanos;
  private final double helpNanos;
  private final int processors;
  private final ProcessorBudget budget;

  /** Processor time of the compaction and its helpers since the last sample. */
  private double usedNanos;

  private boolean ended;

  private BesideReads(Parameters parameters, double readShare, double pressure) {
    this.readShare = readShare;
    this.pressure = pressure;
    mergeNanos = parameters.number("compaction.merge.ns");
    helpNanos = parameters.number("budget.help.ns");
    processors = parameters.whole("budget.processors");
    budget =
        new ProcessorBudget(
            processors, parameters.number("budget.share"), this::load, () -> 0, () -> 1, loop::now);
  }

  /**
   * Carries it out.
   *
   * @param readShare of all processors, busy with reads
   * @param pressure of the store, 1: it blocks writes
   * @return nanoseconds
   */
  public static long nanos(Parameters parameters, double readShare, double pressure) {
    return new BesideReads(parameters, readShare, pressure).toEnd(parameters);
  }

  private long toEnd(Parameters parameters) {
    Machine node =
        Machine.storageNode(
            loop,
            "node",
            parameters.number("compaction.line.mbps"),
            parameters.number("compaction.fabric.mbps"));
    long bytes = (long) parameters.number("budget.bytes");
    loop.in(SAMPLE_NANOS, sample);
    new Merging(
            loop,
            parameters.number("compaction.read.ns"),
            this::merge,
            node,
            node,
            parameters.whole("compaction.ahead"),
            () -> ended = true)
        .begin(
            List.of(new Merging.Part(node, bytes)),
            (long) parameters.number("compaction.round.bytes"),
            true);
    while (!ended && loop.step()) {}
    return loop.now();
  }

  /** One thread: it never has more than one processor, and waits where it is allowed less. */
  private double merge(double bytes) {
    double nanos = bytes * mergeNanos;
    budget.used((long) nanos, (long) bytes);
    usedNanos += nanos + bytes * helpNanos;
    return nanos / Math.min(1, budget.secondsPerSecond(pressure));
  }

  private void sample() {
    budget.sample();
    loop.in(SAMPLE_NANOS, sample);
  }

  /** Of all processors, since the last call. */
  private double load() {
    double load = readShare + usedNanos / SAMPLE_NANOS / processors;
    usedNanos = 0;
    return Math.min(1, load);
  }
}
