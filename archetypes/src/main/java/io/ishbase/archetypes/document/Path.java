package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.DocumentException.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A place in a document: the steps from its root, as {@code requires[3].name} or {@code
 * ["a.b"][0]}. With {@code [*]} for all elements of an array it is a pattern, as an index has one.
 *
 * <p>Paths are ordered as a walk of the tree meets them, if members are visited in the order of
 * their names (by code points): a place comes before what lies in it, and elements by number.
 */
public final class Path implements Comparable<Path> {
  /** The whole document; its text is empty. */
  public static final Path ROOT = new Path(List.of());

  /** One step down. */
  sealed interface Step permits Element, Every, Member {}

  /** To the element of an array, from 0. */
  record Element(int index) implements Step {}

  /** To all elements of an array. */
  record Every() implements Step {}

  /** To the member of an object. */
  record Member(String name) implements Step {}

  private final List<Step> steps;

  private Path(List<Step> steps) {
    this.steps = steps;
  }

  /**
   * The path of the text that {@link #toString} gives.
   *
   * @throws DocumentException if it is no path
   */
  public static Path of(String text) {
    return new PathParser(text).parse();
  }

  static Path ofSteps(List<Step> steps) {
    if (steps.size() > Limits.DEPTH) {
      throw new DocumentException(
          Problem.TOO_DEEP, "A path of " + steps.size() + " steps: at most " + Limits.DEPTH);
    }
    return new Path(List.copyOf(steps));
  }

  /** To the member {@code name} of the object here. */
  public Path member(String name) {
    return plus(new Member(name));
  }

  /**
   * To the element {@code index}, from 0, of the array here.
   *
   * @throws DocumentException if it is negative
   */
  public Path element(int index) {
    if (index < 0) {
      throw new DocumentException(Problem.INVALID_PATH, "An element of the number " + index);
    }
    return plus(new Element(index));
  }

  /** To all elements of the array here: a pattern. */
  public Path every() {
    return plus(new Every());
  }

  private Path plus(Step step) {
    List<Step> longer = new ArrayList<>(steps);
    longer.add(step);
    return ofSteps(longer);
  }

  List<Step> steps() {
    return steps;
  }

  /** Whether it is {@link #ROOT}. */
  public boolean isRoot() {
    return steps.isEmpty();
  }

  /** Whether it has a {@code [*]}. */
  public boolean isPattern() {
    return steps.stream().anyMatch(Every.class::isInstance);
  }

  /** Where it lies in; the root is its own parent. */
  Path parent() {
    return isRoot() ? this : first(steps.size() - 1);
  }

  Step last() {
    return steps.get(steps.size() - 1);
  }

  Path first(int count) {
    return new Path(steps.subList(0, count));
  }

  /** The steps before the first {@code [*]}. */
  Path fixed() {
    int count = 0;
    while (count < steps.size() && !(steps.get(count) instanceof Every)) {
      count++;
    }
    return first(count);
  }

  /** Whether what this pattern finds may lie in, or be around, {@code path}. */
  boolean meets(Path path) {
    int both = Math.min(steps.size(), path.steps.size());
    for (int i = 0; i < both; i++) {
      Step mine = steps.get(i);
      Step other = path.steps.get(i);
      if (!mine.equals(other) && !(mine instanceof Every && other instanceof Element)) {
        return false;
      }
    }
    return true;
  }

  /** This path, if it is of one place. */
  Path ofOnePlace() {
    if (isPattern()) {
      throw new DocumentException(
          Problem.INVALID_PATH, "'" + this + "' is a pattern: here it must be of one place");
    }
    return this;
  }

  @Override
  public int compareTo(Path other) {
    int both = Math.min(steps.size(), other.steps.size());
    for (int i = 0; i < both; i++) {
      int order = compare(steps.get(i), other.steps.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(steps.size(), other.steps.size());
  }

  private static int compare(Step one, Step other) {
    if (one instanceof Element a && other instanceof Element b) {
      return Integer.compare(a.index, b.index);
    }
    if (one instanceof Member a && other instanceof Member b) {
      return Arrays.compare(a.name.codePoints().toArray(), b.name.codePoints().toArray());
    }
    return Integer.compare(rank(one), rank(other));
  }

  private static int rank(Step step) {
    return step instanceof Element ? 0 : step instanceof Every ? 1 : 2;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Path path && steps.equals(path.steps);
  }

  @Override
  public int hashCode() {
    return steps.hashCode();
  }

  /** The text that {@link #of} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Step step : steps) {
      if (step instanceof Element element) {
        text.append('[').append(element.index).append(']');
      } else if (step instanceof Member member) {
        PathParser.append(text, member.name);
      } else {
        text.append("[*]");
      }
    }
    return text.toString();
  }
}
