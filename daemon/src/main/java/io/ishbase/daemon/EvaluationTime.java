package io.ishbase.daemon;

import org.jspecify.annotations.Nullable;

/**
 * Until when a thread may evaluate a filter. HBase asks a comparator about a cell in one call, and
 * in lists about one cell thousands of comparators: those that take their time look here.
 */
final class EvaluationTime {
  private static final ThreadLocal<Long> END_NANOS = new ThreadLocal<>();

  private EvaluationTime() {}

  /** Sets the {@link System#nanoTime} at which this thread gives up. */
  static void endsAt(long nanos) {
    END_NANOS.set(nanos);
  }

  static void clear() {
    END_NANOS.remove();
  }

  /** The {@link System#nanoTime} at which this thread gives up; null: never. */
  static @Nullable Long end() {
    return END_NANOS.get();
  }

  /**
   * Checks the time.
   *
   * @throws IllegalStateException if it is over
   */
  static void check() {
    check(end());
  }

  static void check(@Nullable Long end) {
    if (end != null && System.nanoTime() - end > 0) {
      throw new IllegalStateException("The filter takes too long");
    }
  }
}
