package io.ishbase.bench;

import java.time.Duration;

/**
 * How long a window lasts: at least {@code atLeast} and for at least {@code operations}, but not
 * beyond the first operation that ends after {@code atMost}.
 */
public record Span(Duration atLeast, long operations, Duration atMost) {
  private static final Duration FOREVER = Duration.ofDays(1);

  /** A window of that length. */
  public static Span of(Duration length) {
    return new Span(length, 1, length);
  }

  /**
   * A window of exactly that many operations, however long they take: no more are started, so that
   * none is under way at its end.
   */
  public static Span ofOperations(long operations) {
    return new Span(Duration.ZERO, operations, FOREVER);
  }

  /** The same, but longer if there were fewer than {@code count} operations: up to four times. */
  public Span withOperations(long count) {
    return new Span(atLeast, count, atLeast.multipliedBy(4));
  }

  boolean isExact() {
    return atMost.equals(FOREVER);
  }

  boolean isOver(long nanos, long done) {
    return nanos >= atMost.toNanos() || (nanos >= atLeast.toNanos() && done >= operations);
  }
}
