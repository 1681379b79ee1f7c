package io.ishbase.archetypes.graph;

import org.jspecify.annotations.Nullable;

/**
 * Some of the edges of a vertex.
 *
 * @param direction on which side of them the vertex stands
 * @param label what they say; null: whatever they say
 */
public record Selection(Direction direction, @Nullable String label) {
  /**
   * A selection.
   *
   * @throws IllegalArgumentException if the label is empty, too long, or no text
   */
  public Selection {
    if (label != null) {
      Limits.label(label);
    }
  }

  /** All edges that lead away from the vertex. */
  public static Selection out() {
    return new Selection(Direction.OUT, null);
  }

  /** Edges of that label that lead away from the vertex. */
  public static Selection out(String label) {
    return new Selection(Direction.OUT, label);
  }

  /** All edges that lead to the vertex. */
  public static Selection in() {
    return new Selection(Direction.IN, null);
  }

  /** Edges of that label that lead to the vertex. */
  public static Selection in(String label) {
    return new Selection(Direction.IN, label);
  }

  /** All edges of the vertex. */
  public static Selection both() {
    return new Selection(Direction.BOTH, null);
  }

  /** All edges of that label. */
  public static Selection both(String label) {
    return new Selection(Direction.BOTH, label);
  }

  /** The same edges as seen from their other ends. */
  public Selection reversed() {
    return new Selection(direction.reversed(), label);
  }
}
