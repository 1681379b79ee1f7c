package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/** The paths that have an index, and which entries a document has there. */
final class Indexes {
  private final List<Path> patterns;

  Indexes(Collection<Path> patterns) {
    this.patterns = List.copyOf(patterns);
  }

  /** Those of a table's descriptor. */
  static Indexes parse(@Nullable String text) {
    if (text == null) {
      return new Indexes(List.of());
    }
    SortedSet<Path> patterns = new TreeSet<>();
    Json.parse(text).forEach(pattern -> patterns.add(Path.of(pattern.asText())));
    return new Indexes(patterns);
  }

  /** For a table's descriptor. */
  String text() {
    ArrayNode array = Json.NODES.arrayNode();
    patterns.forEach(pattern -> array.add(pattern.toString()));
    return array.toString();
  }

  List<Path> all() {
    return patterns;
  }

  /** Those whose entries a change at {@code path} may change. */
  List<Path> meeting(Path path) {
    return patterns.stream().filter(pattern -> pattern.meets(path)).toList();
  }

  Path require(Path pattern) {
    if (!patterns.contains(pattern)) {
      throw new DocumentException(
          Problem.NOT_INDEXED, "'" + pattern + "' has no index: there are " + text());
    }
    return pattern;
  }

  /** The keys of all entries for {@code of} that follow from the columns of document {@code id}. */
  static SortedSet<byte[]> keys(byte[] id, Columns columns, Collection<Path> of)
      throws IOException {
    SortedSet<byte[]> keys = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (Path pattern : of) {
      collect(pattern, 0, new byte[0], columns, id, keys);
    }
    return keys;
  }

  private static void collect(
      Path pattern, int from, byte[] at, Columns columns, byte[] id, SortedSet<byte[]> keys)
      throws IOException {
    byte[] place = at;
    for (int i = from; i < pattern.steps().size(); i++) {
      Path.Step step = pattern.steps().get(i);
      if (step instanceof Path.Every) {
        Column array = columns.own(place);
        if (array != null && array.isArray()) {
          for (int element = 0; element < array.count(); element++) {
            byte[] child = PathBytes.child(place, new Path.Element(element));
            collect(pattern, i + 1, child, columns, id, keys);
          }
        }
        return;
      }
      place = PathBytes.child(place, step);
    }
    Column column = columns.own(place);
    if (column != null && !column.isArray() && !column.isObject()) {
      JsonNode value = column.value();
      keys.add(Bytes.add(IndexKey.prefix(pattern, value), id));
    }
  }
}
