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

  /** A daemon has begun when it has given so many answers, or so long ago, whichever is sooner. */
  private static final int START_ANSWERS = 2_048;

  private static final long START_NANOS = TimeUnit.MINUTES.toNanos(1);

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
   * How far a holder has begun, from 0 to 1: at first what it runs is not compiled, and its caches
   * are empty.
   *
   * @param answers that it has given
   * @param nanos since it was asked first
   */
  public static double begun(long answers, long nanos) {
    return Math.min(1, Math.max((double) answers / START_ANSWERS, (double) nanos / START_NANOS));
  }

  /**
   * Whether a holder is not asked this time, because it has just begun: it gets ever more of its
   * reads.
   *
   * @param begun how far it has
   * @param draw from 0 to 1, another one for each read
   */
  public static boolean isSpared(double begun, double draw) {
    return draw >= Math.max(1.0 / LEAST_SHARE, begun);
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
