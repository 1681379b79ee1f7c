package io.ishbase.archetypes.queue;

import java.time.Duration;

/**
 * What a group promises its consumers.
 *
 * @param mode which kind of consumer it has
 * @param visibilityMillis how long a claim holds, up to that of {@link #MAX_VISIBILITY}; of
 *     at-least-once groups
 * @param maxAttempts after how many deliveries without an acknowledgement a message becomes a dead
 *     letter, 0 for never; of at-least-once groups
 */
public record GroupOptions(Mode mode, long visibilityMillis, int maxAttempts) {
  /** How long a claim may hold at most. */
  public static final Duration MAX_VISIBILITY = Duration.ofDays(3650);

  /** The kinds of consumers. */
  public enum Mode {
    /** {@link Consumer}: claim, acknowledge, redelivery. */
    AT_LEAST_ONCE,
    /** {@link ExactlyOnceConsumer}: effects and position change together. */
    EXACTLY_ONCE
  }

  /**
   * @throws IllegalArgumentException if a number is out of its range
   */
  public GroupOptions {
    long maxMillis = MAX_VISIBILITY.toMillis();
    if (mode == Mode.AT_LEAST_ONCE && (visibilityMillis < 1 || visibilityMillis > maxMillis)) {
      throw new IllegalArgumentException(
          "visibility: " + visibilityMillis + " ms, not 1 to " + maxMillis);
    }
    if (maxAttempts < 0) {
      throw new IllegalArgumentException("attempts: " + maxAttempts + ", not 0 or more");
    }
  }

  /**
   * Claims that hold for {@code visibility}, as often as it takes.
   *
   * @throws IllegalArgumentException if it is not 1 ms to {@link #MAX_VISIBILITY}
   */
  public static GroupOptions atLeastOnce(Duration visibility) {
    // What is longer may not be a number of milliseconds.
    if (visibility.compareTo(MAX_VISIBILITY) > 0 || visibility.isNegative()) {
      throw new IllegalArgumentException(
          "visibility: " + visibility + ", not up to " + MAX_VISIBILITY);
    }
    return new GroupOptions(Mode.AT_LEAST_ONCE, visibility.toMillis(), 0);
  }

  /** Effects once for each message. */
  public static GroupOptions exactlyOnce() {
    return new GroupOptions(Mode.EXACTLY_ONCE, 0, 0);
  }

  /** The same with dead letters after {@code attempts} deliveries. */
  public GroupOptions deadLettersAfter(int attempts) {
    return new GroupOptions(mode, visibilityMillis, attempts);
  }
}
