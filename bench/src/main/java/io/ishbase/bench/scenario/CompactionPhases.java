package io.ishbase.bench.scenario;

/**
 * In which phase a load is around a major compaction, from the mean latencies of successive windows
 * of time. No clock, no cluster.
 *
 * <p>The warm-up ends with the first window that begins with warm caches and whose mean is within a
 * tolerance of that before the compaction, or when it has lasted too long. That window counts with
 * it, so a warm-up has one window at least.
 */
final class CompactionPhases {
  /** The phases in their order. */
  enum Phase {
    BEFORE,
    COMPACTION,
    WARM_UP,
    AFTER,
    OVER
  }

  private static final double TOLERANCE = 1.10;

  private final int windowsBefore;
  private final int maxWarmUp;
  private final int windowsAfter;
  private Phase phase = Phase.BEFORE;
  private int inPhase;
  private double operations;
  private double operationMillis;
  private boolean recovered;

  /**
   * A load that is about to begin.
   *
   * @param windowsBefore windows before the compaction starts
   * @param maxWarmUp windows that the warm-up may last
   * @param windowsAfter windows after the warm-up
   */
  CompactionPhases(int windowsBefore, int maxWarmUp, int windowsAfter) {
    this.windowsBefore = windowsBefore;
    this.maxWarmUp = maxWarmUp;
    this.windowsAfter = windowsAfter;
  }

  /** The phase of the window under way. */
  Phase current() {
    return phase;
  }

  /** Whether the latency came back within the tolerance before the warm-up had lasted too long. */
  boolean recovered() {
    return recovered;
  }

  /**
   * Takes a window that ended.
   *
   * @param compactionEnded whether the compaction has ended by now; false before it starts
   * @param warming whether caches are still being warmed after it
   * @return the phase that the window belongs to
   */
  Phase ended(long windowOperations, double meanMillis, boolean compactionEnded, boolean warming) {
    Phase ofWindow = phase;
    inPhase++;
    switch (phase) {
      case BEFORE -> {
        operations += windowOperations;
        operationMillis += windowOperations * meanMillis;
        if (inPhase >= windowsBefore) {
          enter(Phase.COMPACTION);
        }
      }
      case COMPACTION -> {
        if (compactionEnded) {
          enter(Phase.WARM_UP);
        }
      }
      case WARM_UP -> {
        recovered = !warming && windowOperations > 0 && meanMillis <= TOLERANCE * meanBefore();
        if (recovered || inPhase >= maxWarmUp) {
          enter(Phase.AFTER);
        }
      }
      case AFTER -> {
        if (inPhase >= windowsAfter) {
          enter(Phase.OVER);
        }
      }
      case OVER -> {}
    }
    return ofWindow;
  }

  private double meanBefore() {
    return operationMillis / operations;
  }

  private void enter(Phase next) {
    phase = next;
    inPhase = 0;
  }
}
