package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a document that are made together, in the order in which they were given, if all
 * conditions hold. Made by one thread, used once or often.
 */
public final class Update {
  /** A change. */
  sealed interface Change permits Set, Remove, Append {
    Path path();
  }

  record Set(Path path, JsonNode value) implements Change {}

  record Remove(Path path) implements Change {}

  record Append(Path path, JsonNode value) implements Change {}

  /** What must be at the path; null if nothing may be there. */
  record Expected(Path path, @Nullable JsonNode value) {}

  private final List<Change> changes = new ArrayList<>();
  private final List<Expected> expected = new ArrayList<>();
  private OptionalLong version = OptionalLong.empty();

  /**
   * Puts {@code value} at {@code path}, in place of all that is there. A member keeps its place
   * among its siblings, a new one comes last, and objects on the way that are missing are made. The
   * element behind the last is appended.
   *
   * @throws DocumentException if the path is a pattern or the value is not to be stored
   */
  public Update set(Path path, JsonNode value) {
    changes.add(new Set(path.ofOnePlace(), Json.canonical(value)));
    return this;
  }

  /** {@link #set(Path, JsonNode)}, both as text. */
  public Update set(String path, String json) {
    return set(Path.of(path), Json.parse(json));
  }

  /**
   * Takes away what is at {@code path}, if anything; the elements behind move up by one.
   *
   * @throws DocumentException if the path is a pattern, or the root: use {@link
   *     DocumentStore#delete}
   */
  public Update remove(Path path) {
    if (path.isRoot()) {
      throw new DocumentException(
          DocumentException.Problem.INVALID_PATH, "A document's root cannot be removed from it");
    }
    changes.add(new Remove(path.ofOnePlace()));
    return this;
  }

  /** {@link #remove(Path)} of a text. */
  public Update remove(String path) {
    return remove(Path.of(path));
  }

  /**
   * Adds {@code value} behind the last element of the array at {@code path}, of which nothing but
   * the length is read.
   *
   * @throws DocumentException if the path is a pattern or the value is not to be stored
   */
  public Update append(Path path, JsonNode value) {
    changes.add(new Append(path.ofOnePlace(), Json.canonical(value)));
    return this;
  }

  /** {@link #append(Path, JsonNode)}, both as text. */
  public Update append(String path, String json) {
    return append(Path.of(path), Json.parse(json));
  }

  /** Only if the document's version is still this one. */
  public Update ifVersion(long wanted) {
    version = OptionalLong.of(wanted);
    return this;
  }

  /**
   * Only if what is at {@code path} is equal to {@code value}, type and all.
   *
   * @throws DocumentException if the path is a pattern or the value is not to be stored
   */
  public Update ifEquals(Path path, JsonNode value) {
    expected.add(new Expected(path.ofOnePlace(), Json.canonical(value)));
    return this;
  }

  /** {@link #ifEquals(Path, JsonNode)}, both as text. */
  public Update ifEquals(String path, String json) {
    return ifEquals(Path.of(path), Json.parse(json));
  }

  /** Only if nothing is at {@code path}. */
  public Update ifAbsent(Path path) {
    expected.add(new Expected(path.ofOnePlace(), null));
    return this;
  }

  /** {@link #ifAbsent(Path)} of a text. */
  public Update ifAbsent(String path) {
    return ifAbsent(Path.of(path));
  }

  List<Change> changes() {
    return changes;
  }

  List<Expected> expected() {
    return expected;
  }

  OptionalLong version() {
    return version;
  }
}
