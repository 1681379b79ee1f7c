package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.Keys.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/** Reads the edges of vertices, and verifies at the near end what the far end is not sure of. */
final class EdgeReader {
  /**
   * What is asked for.
   *
   * @param id of the vertex
   * @param from the first qualifier
   */
  record Ask(String id, byte[] from) {}

  /**
   * What is there.
   *
   * @param edges each once, in the order of the qualifiers
   * @param next the first qualifier that was not looked at; null: all were
   */
  record Answer(List<EdgeEntry> edges, byte @Nullable [] next) {}

  private final GraphTables tables;

  EdgeReader(GraphTables tables) {
    this.tables = tables;
  }

  /** One answer to each of {@code asks}, of so many cells at most, in one call of the client. */
  List<Answer> read(Slice slice, List<Ask> asks, int cells) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (Ask ask : asks) {
      gets.add(slice.get(ask.id(), ask.from(), cells));
    }
    return answers(slice, cells, slice.table().get(gets));
  }

  /** The same without values, which may be properties, where only those of the far end matter. */
  List<Answer> readKeys(Slice slice, List<Ask> asks, int cells) throws IOException {
    if (slice.direction() != Direction.OUT) {
      return read(slice, asks, cells);
    }
    List<Get> gets = new ArrayList<>();
    for (Ask ask : asks) {
      gets.add(slice.keys(ask.id(), ask.from(), cells));
    }
    return answers(slice, cells, slice.table().get(gets));
  }

  private List<Answer> answers(Slice slice, int cells, Result... results) throws IOException {
    List<List<EdgeEntry>> entries = new ArrayList<>();
    for (Result result : results) {
      entries.add(once(result, slice.direction()));
    }
    Set<Edge> gone = gone(entries);
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      List<EdgeEntry> there = entries.get(i);
      there.removeIf(entry -> entry.isInDoubt() && gone.contains(entry.edge()));
      answers.add(new Answer(there, next(slice, results[i], cells)));
    }
    return answers;
  }

  /** One entry for each edge in the result, one that is sure if there is one. */
  private static List<EdgeEntry> once(Result result, Direction direction) throws IOException {
    List<EdgeEntry> entries = new ArrayList<>();
    if (result.isEmpty()) {
      return entries;
    }
    for (Cell cell : result.rawCells()) {
      EdgeEntry entry = Keys.entry(cell);
      if (!entry.side().is(direction)) {
        continue;
      }
      int last = entries.size() - 1;
      if (last < 0 || !entries.get(last).isSameEnd(entry)) {
        entries.add(entry);
      } else if (!entry.isInDoubt()) {
        entries.set(last, entry);
      }
    }
    return entries;
  }

  /** Edges in doubt that are none. */
  private Set<Edge> gone(List<List<EdgeEntry>> entries) throws IOException {
    List<Edge> inDoubt =
        entries.stream()
            .flatMap(List::stream)
            .filter(EdgeEntry::isInDoubt)
            .map(EdgeEntry::edge)
            .toList();
    if (inDoubt.isEmpty()) {
      return Set.of();
    }
    List<Get> gets = new ArrayList<>();
    for (Edge edge : inDoubt) {
      gets.add(GraphTables.get(Keys.row(Side.NEAR, edge), Keys.prefix(Side.NEAR, edge)));
    }
    boolean[] exists = tables.out().exists(gets);
    Set<Edge> gone = new HashSet<>();
    for (int i = 0; i < exists.length; i++) {
      if (!exists[i]) {
        gone.add(inDoubt.get(i));
      }
    }
    return gone;
  }

  private static byte @Nullable [] next(Slice slice, Result result, int cells) throws IOException {
    if (result.size() < cells) {
      return null;
    }
    EdgeEntry last = Keys.entry(result.rawCells()[result.size() - 1]);
    byte[] next = KeyWriter.after(Keys.prefix(last.side(), last.edge()));
    return Bytes.compareTo(next, slice.stop()) < 0 ? next : null;
  }
}
