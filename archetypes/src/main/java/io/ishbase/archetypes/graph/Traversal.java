package io.ishbase.archetypes.graph;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Walks over a graph, breadth first: all vertices at one distance are asked for together ({@link
 * Graph#expand}). Each hop sees the graph as it is then.
 */
public final class Traversal {
  private final Graph graph;
  private final int limit;

  /**
   * A traversal.
   *
   * @param limit how many vertices it may meet beside those it starts from; it holds all in memory
   */
  public Traversal(Graph graph, int limit) {
    this.graph = graph;
    this.limit = limit;
  }

  /**
   * The vertices that are at most so many edges away, and how many, {@code start} with 0 first.
   *
   * @throws VisitLimitException if they are too many
   */
  public Map<String, Integer> neighbourhood(String start, Selection selection, int hops)
      throws IOException {
    Limits.id(start);
    if (hops < 0) {
      throw new IllegalArgumentException("A neighbourhood of " + hops + " hops");
    }
    Front front = new Front(start, selection);
    Map<String, Integer> distances = new LinkedHashMap<>();
    distances.put(start, 0);
    for (int hop = 1; hop <= hops && !front.border.isEmpty(); hop++) {
      front.advance(null, limit);
      for (String vertex : front.border) {
        distances.put(vertex, hop);
      }
    }
    return Collections.unmodifiableMap(distances);
  }

  /**
   * The edges of a shortest path, in order; of several, any. Searched from both ends, where fewer
   * vertices wait. With {@link Direction#IN} or {@link Direction#BOTH} edges are taken backwards.
   *
   * @return empty if there is none; no edges if {@code from} is {@code to}
   * @throws VisitLimitException if too many vertices were met before it was found
   */
  public Optional<List<Edge>> shortestPath(String from, String to, Selection selection)
      throws IOException {
    Limits.id(from);
    Limits.id(to);
    if (from.equals(to)) {
      return Optional.of(List.of());
    }
    Front forward = new Front(from, selection);
    Front backward = new Front(to, selection.reversed());
    while (!forward.border.isEmpty() && !backward.border.isEmpty()) {
      boolean isForward = forward.border.size() <= backward.border.size();
      Front one = isForward ? forward : backward;
      Front other = isForward ? backward : forward;
      // No shorter path was there, so the first vertex that both have met is on a shortest.
      String meeting = one.advance(other, limit - other.metBy.size());
      if (meeting != null) {
        Deque<Edge> path = new ArrayDeque<>();
        forward.pathTo(meeting).forEach(path::addFirst);
        backward.pathTo(meeting).forEach(path::addLast);
        return Optional.of(List.copyOf(path));
      }
    }
    return Optional.empty();
  }

  /** What was met from one side. */
  private final class Front {
    private final String start;
    private final Selection selection;

    /** The edge over which each was met first, but for {@code start}. */
    private final Map<String, Edge> metBy = new HashMap<>();

    /** Those that are farthest. */
    private List<String> border;

    private Front(String start, Selection selection) {
      this.start = start;
      this.selection = selection;
      border = List.of(start);
    }

    private boolean hasMet(String vertex) {
      return vertex.equals(start) || metBy.containsKey(vertex);
    }

    /**
     * Goes an edge further, unless it meets what {@code other} has met.
     *
     * @return that vertex; null if there is none
     */
    private @Nullable String advance(@Nullable Front other, int mayMeet) throws IOException {
      List<String> next = new ArrayList<>();
      List<String> meeting = new ArrayList<>();
      boolean sawAll =
          graph.expand(
              border,
              selection,
              (vertex, edge) -> {
                String neighbour = edge.other(vertex);
                if (hasMet(neighbour)) {
                  return true;
                }
                metBy.put(neighbour, edge);
                next.add(neighbour);
                if (other != null && other.hasMet(neighbour)) {
                  meeting.add(neighbour);
                }
                return meeting.isEmpty() && metBy.size() <= mayMeet;
              });
      border = next;
      if (!meeting.isEmpty()) {
        return meeting.get(0);
      }
      if (!sawAll) {
        throw new VisitLimitException(limit);
      }
      return null;
    }

    /** The edges from {@code vertex} back to the start. */
    private List<Edge> pathTo(String vertex) {
      List<Edge> path = new ArrayList<>();
      String at = vertex;
      Edge edge = metBy.get(at);
      while (edge != null) {
        path.add(edge);
        at = edge.other(at);
        edge = metBy.get(at);
      }
      return path;
    }
  }
}
