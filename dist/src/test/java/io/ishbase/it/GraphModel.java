package io.ishbase.it;

import io.ishbase.archetypes.graph.Direction;
import io.ishbase.archetypes.graph.Edge;
import io.ishbase.archetypes.graph.Selection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A graph in memory, as plainly as can be. */
final class GraphModel {
  final Map<String, Map<String, String>> vertices = new HashMap<>();
  final Map<Edge, Map<String, String>> edges = new HashMap<>();

  /** The edges of a vertex; a loop twice if both directions are meant. */
  List<Edge> edges(String id, Selection selection) {
    List<Edge> found = new ArrayList<>();
    for (Edge edge : edges.keySet()) {
      if (selection.label() != null && !selection.label().equals(edge.label())) {
        continue;
      }
      if (selection.direction() != Direction.IN && edge.from().equals(id)) {
        found.add(edge);
      }
      if (selection.direction() != Direction.OUT && edge.to().equals(id)) {
        found.add(edge);
      }
    }
    return found;
  }

  boolean removeVertex(String id) {
    boolean hadEdges = edges.keySet().removeIf(e -> e.from().equals(id) || e.to().equals(id));
    return vertices.remove(id) != null || hadEdges;
  }

  /** Distances of all vertices that can be reached. */
  Map<String, Integer> distances(String start, Selection selection) {
    Map<String, Integer> distances = new LinkedHashMap<>();
    distances.put(start, 0);
    List<String> waiting = new ArrayList<>(List.of(start));
    for (int i = 0; i < waiting.size(); i++) {
      String at = waiting.get(i);
      for (Edge edge : edges(at, selection)) {
        if (distances.putIfAbsent(edge.other(at), distances.get(at) + 1) == null) {
          waiting.add(edge.other(at));
        }
      }
    }
    return distances;
  }
}
