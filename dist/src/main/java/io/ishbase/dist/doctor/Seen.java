package io.ishbase.dist.doctor;

import java.util.Optional;

/**
 * Something that was looked for.
 *
 * @param value what was seen; empty if it could not be
 * @param whyNot why it could not be seen; empty if it was
 */
public record Seen<T>(Optional<T> value, String whyNot) {
  public static <T> Seen<T> of(T value) {
    return new Seen<>(Optional.of(value), "");
  }

  public static <T> Seen<T> not(String whyNot) {
    return new Seen<>(Optional.empty(), whyNot);
  }
}
