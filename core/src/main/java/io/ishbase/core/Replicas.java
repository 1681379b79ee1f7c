package io.ishbase.core;

import java.util.Collection;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Which of those that hold a file is asked for it. */
public final class Replicas {
  private Replicas() {}

  /**
   * One that the read asks for other files already, so that they go into one request; else the
   * least loaded of those that are not closed, the first of several; else the least loaded.
   *
   * @param closed whether it failed lately
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
