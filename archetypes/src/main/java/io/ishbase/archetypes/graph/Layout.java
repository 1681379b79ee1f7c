package io.ishbase.archetypes.graph;

import java.util.List;
import org.apache.hadoop.hbase.TableName;

/** Where a graph's cells lie. */
public enum Layout {
  /** One table; the row of a vertex has its properties and both kinds of its edges. */
  ADJACENCY(""),
  /** A table of vertices, one of edges, and one for each direction that tells a vertex's edges. */
  EDGE_TABLE("_vertices", "_edges", "_out", "_in");

  private final List<String> suffixes;

  Layout(String... suffixes) {
    this.suffixes = List.of(suffixes);
  }

  /** The tables of the graph with that name. */
  public List<TableName> tables(TableName graph) {
    return suffixes.stream().map(suffix -> table(graph, suffix)).toList();
  }

  private static TableName table(TableName graph, String suffix) {
    return TableName.valueOf(graph.getNameAsString() + suffix);
  }

  TableName vertices(TableName graph) {
    return tables(graph).get(0);
  }

  /** Of {@link #EDGE_TABLE} only. */
  TableName edges(TableName graph) {
    return tables(graph).get(1);
  }

  TableName out(TableName graph) {
    return this == ADJACENCY ? vertices(graph) : tables(graph).get(2);
  }

  TableName in(TableName graph) {
    return this == ADJACENCY ? vertices(graph) : tables(graph).get(3);
  }
}
