package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A document, or parts of one, as columns: each place that is there has one, named by its {@link
 * PathBytes} and {@link PathBytes#OWN}. So what lies in a place is a range of columns behind its
 * own. Not safe for use by several threads.
 */
final class Columns {
  private final NavigableMap<byte[], Column> columns;

  Columns() {
    this(new TreeMap<>(Bytes.BYTES_COMPARATOR));
  }

  private Columns(NavigableMap<byte[], Column> columns) {
    this.columns = columns;
  }

  Columns copy() {
    return new Columns(new TreeMap<>(columns));
  }

  /** By name, in the order of names. */
  SortedMap<byte[], Column> all() {
    return columns;
  }

  void put(byte[] name, Column column) {
    columns.put(name, column);
  }

  /** The place itself. */
  @Nullable Column own(byte[] place) {
    return columns.get(ownName(place));
  }

  void putOwn(byte[] place, Column column) {
    columns.put(ownName(place), column);
  }

  static byte[] ownName(byte[] place) {
    return Arrays.copyOf(place, place.length + 1);
  }

  /** Takes away the place and what lies in it. */
  void remove(byte[] place) {
    under(place).clear();
  }

  private SortedMap<byte[], Column> under(byte[] place) {
    byte[] end = place.clone();
    int last = end.length - 1;
    while (last >= 0 && end[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      return columns.tailMap(place);
    }
    end = Arrays.copyOf(end, last + 1);
    end[last]++;
    return columns.subMap(place, end);
  }

  /**
   * Adds the columns of {@code node} at a place that has none.
   *
   * @param depth steps from the root to the place
   * @param position among the members of its object
   * @param largeAbove strings of more bytes go into the family for large ones
   * @throws DocumentException if it is too deep, a path too long, or a text no Unicode
   */
  void flatten(byte[] place, int depth, int position, JsonNode node, int largeAbove) {
    if (depth > Limits.DEPTH) {
      throw new DocumentException(
          Problem.TOO_DEEP, "Objects and arrays in each other: at most " + Limits.DEPTH);
    }
    if (node.isObject()) {
      putOwn(place, Column.object(position, node.size()));
      int next = 0;
      for (Iterator<Map.Entry<String, JsonNode>> members = node.fields(); members.hasNext(); ) {
        Map.Entry<String, JsonNode> member = members.next();
        byte[] child = PathBytes.child(place, new Path.Member(member.getKey()));
        flatten(child, depth + 1, next++, member.getValue(), largeAbove);
      }
    } else if (node.isArray()) {
      putOwn(place, Column.array(position, node.size()));
      for (int i = 0; i < node.size(); i++) {
        byte[] child = PathBytes.child(place, new Path.Element(i));
        flatten(child, depth + 1, 0, node.get(i), largeAbove);
      }
    } else {
      putOwn(place, Column.scalar(position, node, largeAbove));
    }
  }

  /**
   * What is at the place, as far as its columns are here.
   *
   * @return null if nothing is
   * @throws IOException if the columns make no JSON
   */
  @Nullable JsonNode at(byte[] place) throws IOException {
    return own(place) == null ? null : new Reader(under(place)).read();
  }

  /** Puts columns together to nodes, in the order of their names. */
  private static final class Reader {
    private final Iterator<Map.Entry<byte[], Column>> rest;
    private byte @Nullable [] name;
    private @Nullable Column column;

    Reader(SortedMap<byte[], Column> columns) {
      rest = columns.entrySet().iterator();
      step();
    }

    private void step() {
      Map.Entry<byte[], Column> next = rest.hasNext() ? rest.next() : null;
      name = next == null ? null : next.getKey();
      column = next == null ? null : next.getValue();
    }

    JsonNode read() throws IOException {
      byte[] own = name;
      Column here = column;
      if (own == null || here == null || own.length == 0 || own[own.length - 1] != PathBytes.OWN) {
        throw new IOException("Columns without that of the place in which they lie");
      }
      step();
      int length = own.length - 1;
      if (here.isArray()) {
        ArrayNode array = Json.NODES.arrayNode();
        while (lies(own, length)) {
          array.add(read());
        }
        return array;
      }
      if (here.isObject()) {
        return object(own, length);
      }
      return here.value();
    }

    private JsonNode object(byte[] own, int length) throws IOException {
      // Members come by name and are wanted by position.
      NavigableMap<Integer, Map.Entry<String, JsonNode>> members = new TreeMap<>();
      while (lies(own, length)) {
        byte[] child = name;
        Column at = column;
        if (child == null
            || at == null
            || !(PathBytes.step(child, length) instanceof Path.Member member)) {
          throw new IOException("An object with elements");
        }
        if (members.put(at.position(), Map.entry(member.name(), read())) != null) {
          throw new IOException("An object with two members at position " + at.position());
        }
      }
      ObjectNode object = Json.NODES.objectNode();
      members.values().forEach(member -> object.set(member.getKey(), member.getValue()));
      return object;
    }

    /** Whether the next column lies in the place of {@code length} bytes. */
    private boolean lies(byte[] own, int length) {
      byte[] next = name;
      return next != null && next.length > length && Bytes.equals(next, 0, length, own, 0, length);
    }
  }
}
