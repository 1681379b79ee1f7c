package io.ishbase.archetypes.graph;

/** Which edges of a vertex are meant. */
public enum Direction {
  /** Those that lead away from it. */
  OUT,
  /** Those that lead to it. */
  IN,
  /** All of them; one from the vertex to itself counts twice, once for each of its ends. */
  BOTH;

  /** As seen from the other end. */
  public Direction reversed() {
    return switch (this) {
      case OUT -> IN;
      case IN -> OUT;
      case BOTH -> BOTH;
    };
  }
}
