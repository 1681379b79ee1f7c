package io.ishbase.archetypes.graph;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Row keys and qualifiers. The row of a vertex is its id. In it,
 *
 * <pre>
 *   'e' label side neighbour number stamp    an edge, by one of its ends
 *   'v' stamp                                the vertex, with its properties
 * </pre>
 *
 * so that the edges of a label, and those of a label and a direction, are a range of columns each.
 * The row of an edge is {@code from label to number}, its column {@code 'v' stamp}. The stamp is
 * that of an {@link Incarnation}.
 */
final class Keys {
  static final byte[] FAMILY = Bytes.toBytes("g");
  static final byte[] RECORD = {'v'};
  static final byte[] ALL_EDGES = {'e'};

  /** At which end of an edge the row's vertex stands. */
  enum Side {
    NEAR((byte) 1),
    FAR((byte) 2);

    private final byte tag;

    Side(byte tag) {
      this.tag = tag;
    }

    static Side of(byte tag) throws IOException {
      return switch (tag) {
        case 1 -> NEAR;
        case 2 -> FAR;
        default -> throw new IOException("No key of a graph: side " + tag + " of an edge");
      };
    }

    boolean is(Direction direction) {
      return direction == Direction.BOTH || (direction == Direction.OUT) == (this == NEAR);
    }
  }

  private Keys() {}

  static byte[] row(Side side, Edge edge) {
    return Limits.id(side == Side.NEAR ? edge.from() : edge.to());
  }

  /** The row of an edge that has one of its own. */
  static byte[] row(Edge edge) {
    return new KeyWriter()
        .text(Limits.id(edge.from()))
        .text(Limits.label(edge.label()))
        .text(Limits.id(edge.to()))
        .number(edge.number())
        .toBytes();
  }

  /** With what the qualifiers of an edge begin in the row of one of its ends. */
  static byte[] prefix(Side side, Edge edge) {
    return new KeyWriter()
        .tag(ALL_EDGES[0])
        .text(Limits.label(edge.label()))
        .tag(side.tag)
        .text(Limits.id(side == Side.NEAR ? edge.to() : edge.from()))
        .number(edge.number())
        .toBytes();
  }

  /** With what the qualifiers of all edges of a label begin. */
  static byte[] prefix(String label) {
    return new KeyWriter().tag(ALL_EDGES[0]).text(Limits.label(label)).toBytes();
  }

  /** With what the qualifiers of all edges of a label begin, seen from that end. */
  static byte[] prefix(String label, Side side) {
    return Bytes.add(prefix(label), new byte[] {side.tag});
  }

  static byte[] stamped(byte[] prefix, long stamp) {
    return Bytes.add(prefix, Bytes.toBytes(stamp));
  }

  /** The stamp at the end of a qualifier. */
  static long stamp(byte[] qualifier) throws IOException {
    if (qualifier.length < Long.BYTES) {
      throw new IOException("No key of a graph: it has no stamp");
    }
    return Bytes.toLong(qualifier, qualifier.length - Long.BYTES);
  }

  /** The entry that {@code cell} is. */
  static EdgeEntry entry(Cell cell) throws IOException {
    byte[] qualifier = CellUtil.cloneQualifier(cell);
    KeyReader key = new KeyReader(qualifier);
    if (key.tag() != ALL_EDGES[0]) {
      throw new IOException("No key of an edge: " + Bytes.toStringBinary(qualifier));
    }
    String label = key.text();
    Side side = Side.of(key.tag());
    String neighbour = key.text();
    long number = key.number();
    key.number();
    key.end();
    String vertex = new String(CellUtil.cloneRow(cell), StandardCharsets.UTF_8);
    try {
      Edge edge =
          side == Side.NEAR
              ? new Edge(vertex, label, neighbour, number)
              : new Edge(neighbour, label, vertex, number);
      return new EdgeEntry(side, edge, incarnation(cell));
    } catch (IllegalArgumentException e) {
      throw new IOException("No key of an edge: " + Bytes.toStringBinary(qualifier), e);
    }
  }

  static Incarnation incarnation(Cell cell) throws IOException {
    return new Incarnation(
        stamp(CellUtil.cloneQualifier(cell)), cell.getTimestamp(), CellUtil.cloneValue(cell));
  }
}
