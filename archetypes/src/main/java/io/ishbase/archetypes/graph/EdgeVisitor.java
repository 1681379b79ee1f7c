package io.ishbase.archetypes.graph;

/** Looks at edges as they come. */
public interface EdgeVisitor {
  /**
   * An edge of {@code vertex}, one of those that were asked for.
   *
   * @return whether to go on
   */
  boolean visit(String vertex, Edge edge);
}
