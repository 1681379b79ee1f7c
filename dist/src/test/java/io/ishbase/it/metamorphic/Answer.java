package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an operation was answered: results, one a line, and then perhaps an exception.
 *
 * @param thrown the class of the last cause; null: nothing was thrown
 * @param message of the last cause, which two answers need not share
 */
public record Answer(List<String> results, String thrown, String message) {
  /** An operation that hands on each result as it comes. */
  public interface Asking {
    void into(List<String> results) throws IOException;
  }

  static Answer of(String... results) {
    return new Answer(List.of(results), null, null);
  }

  /**
   * @throws IllegalArgumentException that {@code asking} throws: it is no operation
   */
  static Answer of(Asking asking) {
    List<String> results = new ArrayList<>();
    try {
      asking.into(results);
      return new Answer(results, null, null);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return failure(results, e);
    }
  }

  /** After these results. */
  public static Answer failure(List<String> results, Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new Answer(results, root.getClass().getName(), String.valueOf(root.getMessage()));
  }

  public boolean isRefused() {
    return thrown != null;
  }

  /** Whether it threw in that class, or one whose name has these words in it. */
  public boolean threwIn(String words) {
    return isRefused() && (thrown + message).contains(words);
  }

  /** Whether it delivered all that {@code shorter} did, in that order, and then perhaps went on. */
  public boolean startsWith(Answer shorter) {
    int size = shorter.results.size();
    return results.size() >= size && results.subList(0, size).equals(shorter.results);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Answer answer
        && results.equals(answer.results)
        && Objects.equals(thrown, answer.thrown);
  }

  @Override
  public int hashCode() {
    return Objects.hash(results, thrown);
  }

  /** As it stands in a file of answers. */
  String text() {
    return text("threw " + thrown);
  }

  private String text(String end) {
    return Stream.concat(results.stream(), isRefused() ? Stream.of(end) : Stream.empty())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public String toString() {
    return text("threw " + thrown + ": " + String.valueOf(message).lines().findFirst().orElse(""));
  }
}
