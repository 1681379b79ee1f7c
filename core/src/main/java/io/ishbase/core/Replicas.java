package io.ishbase.core;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Which of those that hold a file is asked for it. */
public final class Replicas {
  /** A holder is slow if it takes so many times as long as another, and so much longer. */
  private static final int SLOW_TIMES = 3;

  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The slowest still gets one read in so many: else nobody would learn that it has recovered. */
  private static final int LEAST_SHARE = 32;

  private Replicas() {}

  /**
   * Whether a holder is not asked this time, because it is slow: of the reads that would go to it
   * the fewer do the longer it takes.
   *
   * @param nanos that it usually takes; 0: not known
   * @param fastestNanos what the fastest takes; 0: not known
   * @param draw from 0 to 1, another one for each read
   */
  public static boolean isPassedOver(long nanos, long fastestNanos, double draw) {
    return fastestNanos > 0
        && nanos >= SLOW_TIMES * fastestNanos
        && nanos - fastestNanos >= SLOW_NANOS
        && draw >= Math.max(1.0 / LEAST_SHARE, (double) fastestNanos / nanos);
  }

  /**
   * One that the read asks for other files already, so that they go into one request; else the
   * least loaded of those that are not closed, the first of several; else the least loaded.
   *
   * @param closed whether it failed lately, or is passed over
   * @param load larger is busier
   * @return null if nobody holds the file
   */
  public static <N> @Nullable N choose(
      Iterable<N> holders, Collection<N> preferred, Predicate<N> closed, ToIntFunction<N> load) {
    N best = null;
    for (N holder : holders) {
      if (preferred.contains(holder)) {
        return holder;
      }
      if (best == null || isBetter(holder, best, closed, load)) {
        best = holder;
      }
    }
    return best;
  }

  private static <N> boolean isBetter(
      N holder, N best, Predicate<N> closed, ToIntFunction<N> load) {
    boolean isClosed = closed.test(holder);
    return isClosed == closed.test(best)
        ? load.applyAsInt(holder) < load.applyAsInt(best)
        : !isClosed;
  }
}
