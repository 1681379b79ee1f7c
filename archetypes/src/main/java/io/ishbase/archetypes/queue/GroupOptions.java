package io.ishbase.archetypes.queue;

import java.time.Duration;

/**
 * What a group promises its consumers.
 *
 * @param mode which kind of consumer it has
 * @param visibilityMillis how long a claim holds; of at-least-once groups
 * @param maxAttempts after how many deliveries without an acknowledgement a message becomes a dead
 *     letter, 0 for never; of at-least-once groups
 */
public record GroupOptions(Mode mode, long visibilityMillis, int maxAttempts) {
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
    if (mode == Mode.AT_LEAST_ONCE && visibilityMillis < 1) {
      throw new IllegalArgumentException("visibility: " + visibilityMillis + " ms, not 1 or more");
    }
    if (maxAttempts < 0) {
      throw new IllegalArgumentException("attempts: " + maxAttempts + ", not 0 or more");
    }
  }

  /** Claims that hold for {@code visibility}, as often as it takes. */
  public static GroupOptions atLeastOnce(Duration visibility) {
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
