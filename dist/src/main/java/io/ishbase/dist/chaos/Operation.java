package io.ishbase.dist.chaos;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client did to one row, between two times. Whether a change that failed was carried out,
 * then or later, nobody knows: it has no end.
 *
 * @param argument what it wrote; null where it wrote nothing of its choice
 * @param expected what it wanted to find before it wrote; null: nothing, or it does not matter
 * @param result what it was answered: the {@link RowState} of a read, whether a condition held, the
 *     new count, the new text; null: nothing, or nobody knows
 * @param beginNanos of {@link System#nanoTime}
 * @param endNanos {@link #NEVER} if nobody knows whether it was carried out
 */
record Operation(
    int client,
    Kind kind,
    @Nullable String argument,
    @Nullable String expected,
    @Nullable Object result,
    long beginNanos,
    long endNanos) {
  /** The end of a change of which nobody knows whether it was carried out. */
  static final long NEVER = Long.MAX_VALUE;

  /** What is done to a row. */
  enum Kind {
    GET,
    PUT,
    CHECK_AND_PUT,
    INCREMENT,
    APPEND,
    DELETE
  }

  boolean isKnown() {
    return endNanos != NEVER;
  }

  /** What the row holds behind it; null if it cannot have been answered so. */
  @Nullable RowState after(RowState before) {
    return switch (kind) {
      case GET -> before.equals(result) ? before : null;
      case PUT -> before.withValue(written());
      case CHECK_AND_PUT -> {
        boolean holds = Objects.equals(before.value(), expected);
        yield isKnown() && !Boolean.valueOf(holds).equals(result)
            ? null
            : holds ? before.withValue(written()) : before;
      }
      case INCREMENT -> {
        RowState after = new RowState(before.value(), before.count() + 1, before.text());
        yield isKnown() && !Long.valueOf(after.count()).equals(result) ? null : after;
      }
      case APPEND -> {
        RowState after = new RowState(before.value(), before.count(), before.text() + written());
        yield isKnown() && !after.text().equals(result) ? null : after;
      }
      case DELETE -> RowState.EMPTY;
    };
  }

  private String written() {
    return Objects.requireNonNull(argument, "writes nothing");
  }
}
