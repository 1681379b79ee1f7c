package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a graph.
 *
 * @param vertices rows of vertices with their properties
 * @param edges rows of edges with their properties; null: these are with the near end's entries
 * @param out rows of vertices with the near ends of edges; may be {@code vertices}
 * @param in rows of vertices with the far ends of edges; may be {@code vertices}
 */
record GraphTables(Table vertices, @Nullable Table edges, Table out, Table in)
    implements AutoCloseable {
  static GraphTables open(Connection connection, Layout layout, TableName graph)
      throws IOException {
    Table vertices = connection.getTable(layout.vertices(graph));
    if (layout == Layout.ADJACENCY) {
      return new GraphTables(vertices, null, vertices, vertices);
    }
    return new GraphTables(
        vertices,
        connection.getTable(layout.edges(graph)),
        connection.getTable(layout.out(graph)),
        connection.getTable(layout.in(graph)));
  }

  Table of(Side side) {
    return side == Side.NEAR ? out : in;
  }

  /** Each table that has entries of edges, once. */
  List<Table> ofEntries() {
    return out.equals(in) ? List.of(out) : List.of(out, in);
  }

  /** Where the edges of a selection lie, in the order in which pages come. */
  List<Slice> slices(Selection selection) {
    String label = selection.label();
    Direction direction = selection.direction();
    List<Slice> slices = new ArrayList<>();
    if (ofEntries().size() == 1 && (label == null || direction == Direction.BOTH)) {
      byte[] prefix = label == null ? Keys.ALL_EDGES : Keys.prefix(label);
      return List.of(Slice.of(out, prefix, direction, direction != Direction.BOTH));
    }
    for (Side side : Side.values()) {
      if (side.is(direction)) {
        byte[] prefix = label == null ? Keys.ALL_EDGES : Keys.prefix(label, side);
        Direction ofSide = side == Side.NEAR ? Direction.OUT : Direction.IN;
        slices.add(Slice.of(of(side), prefix, ofSide, false));
      }
    }
    return slices;
  }

  /** What is there of an edge at its near end, the one that counts first. */
  List<Incarnation> incarnations(Edge edge) throws IOException {
    return incarnations(out, Keys.row(Side.NEAR, edge), Keys.prefix(Side.NEAR, edge));
  }

  /** The same of many. */
  List<List<Incarnation>> incarnations(List<Edge> ofEdges) throws IOException {
    if (ofEdges.isEmpty()) {
      return List.of();
    }
    List<Get> gets = new ArrayList<>();
    for (Edge edge : ofEdges) {
      gets.add(get(Keys.row(Side.NEAR, edge), Keys.prefix(Side.NEAR, edge)));
    }
    List<List<Incarnation>> all = new ArrayList<>();
    for (Result result : out.get(gets)) {
      all.add(incarnations(result));
    }
    return all;
  }

  /** What is there in columns that begin with {@code prefix}, the one that counts first. */
  static List<Incarnation> incarnations(Table table, byte[] row, byte[] prefix) throws IOException {
    return incarnations(table.get(get(row, prefix)));
  }

  static Get get(byte[] row, byte[] prefix) {
    return new Get(row).addFamily(Keys.FAMILY).setFilter(new ColumnPrefixFilter(prefix));
  }

  /** For the properties of an incarnation, where edges have rows of their own. */
  static Get record(Edge edge, Incarnation incarnation) {
    return new Get(Keys.row(edge))
        .addColumn(Keys.FAMILY, Keys.stamped(Keys.RECORD, incarnation.stamp()));
  }

  private static List<Incarnation> incarnations(Result result) throws IOException {
    List<Incarnation> incarnations = new ArrayList<>();
    if (!result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        incarnations.add(Keys.incarnation(cell));
      }
    }
    incarnations.sort(Incarnation.NEWEST_FIRST);
    return incarnations;
  }

  @Override
  public void close() throws IOException {
    vertices.close();
    if (edges != null) {
      edges.close();
    }
    out.close();
    in.close();
  }
}
