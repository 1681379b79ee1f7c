package io.ishbase.archetypes.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some edges of a vertex.
 *
 * @param edges those that came; may be none although there are more
 * @param next with which to ask for more, of the same vertex and selection; null: there are none
 */
public record Page(List<Edge> edges, @Nullable String next) {
  /** A page. */
  public Page {
    edges = List.copyOf(edges);
  }
}
