package io.ishbase.archetypes.graph;

import io.ishbase.archetypes.graph.EdgeReader.Answer;
import io.ishbase.archetypes.graph.EdgeReader.Ask;
import io.ishbase.archetypes.graph.EdgeWriter.Change;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.RowMutations;
import org.jspecify.annotations.Nullable;

/** A graph in tables of HBase. */
final class StoredGraph implements Graph {
  private static final int MAX_LIMIT = 10_000;

  /** Of a vertex in one Get of a traversal, or where others lie among those that count. */
  private static final int CELLS_AT_ONCE = 256;

  /** Of a page in one Get, as each may come with its properties: 500 edges and one more. */
  private static final int LISTED_AT_ONCE = 501;

  private static final int COUNTED_AT_ONCE = 1000;
  private static final int REMOVED_AT_ONCE = 500;

  /** In one multi-get; with CELLS_AT_ONCE this bounds the memory that a hop takes. */
  private static final int VERTICES_AT_ONCE = 256;

  /** A reader starts anew each time that a writer comes between its two looks at an edge. */
  private static final int TRIES = 10;

  private final GraphTables tables;
  private final EdgeReader reader;
  private final EdgeWriter writer;

  StoredGraph(GraphTables tables, Progress progress) {
    this.tables = tables;
    reader = new EdgeReader(tables);
    writer = new EdgeWriter(tables, progress);
  }

  @Override
  public void addVertex(String id, Map<String, String> properties) throws IOException {
    byte[] row = Limits.id(id);
    byte[] value = PropertiesCodec.encode(properties);
    List<Incarnation> before = GraphTables.incarnations(tables.vertices(), row, Keys.RECORD);
    RowMutations mutations = new RowMutations(row);
    mutations.add(Incarnation.after(before, value).put(row, Keys.RECORD));
    for (Incarnation each : before) {
      mutations.add(each.delete(row, Keys.RECORD));
    }
    tables.vertices().mutateRow(mutations);
  }

  @Override
  public Optional<Map<String, String>> vertex(String id) throws IOException {
    List<Incarnation> there =
        GraphTables.incarnations(tables.vertices(), Limits.id(id), Keys.RECORD);
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(PropertiesCodec.decode(there.get(0).value()));
  }

  @Override
  public boolean removeVertex(String id) throws IOException {
    boolean wasThere = false;
    String next = null;
    do {
      Page page = edges(id, Selection.both(), REMOVED_AT_ONCE, next);
      wasThere |= remove(new LinkedHashSet<>(page.edges()));
      next = page.next();
    } while (next != null);
    byte[] row = Limits.id(id);
    List<Incarnation> before = GraphTables.incarnations(tables.vertices(), row, Keys.RECORD);
    if (before.isEmpty()) {
      return wasThere;
    }
    RowMutations mutations = new RowMutations(row);
    for (Incarnation each : before) {
      mutations.add(each.delete(row, Keys.RECORD));
    }
    tables.vertices().mutateRow(mutations);
    return true;
  }

  @Override
  public void addEdge(Edge edge, Map<String, String> properties) throws IOException {
    byte[] value = PropertiesCodec.encode(properties);
    boolean isOvertaken;
    do {
      List<Incarnation> before = tables.incarnations(edge);
      Change change = new Change(edge, before, Incarnation.after(before, value));
      isOvertaken = !writer.write(List.of(change)).isEmpty();
    } while (isOvertaken);
  }

  @Override
  public void load(Map<Edge, Map<String, String>> edges) throws IOException {
    // All of them first: bad properties are found before anything is written.
    Map<Edge, byte[]> values = new LinkedHashMap<>();
    edges.forEach((edge, properties) -> values.put(edge, PropertiesCodec.encode(properties)));
    List<Change> changes = new ArrayList<>();
    for (Map.Entry<Edge, byte[]> each : values.entrySet()) {
      // The time is that of the write, however long the load: mend goes by it.
      Incarnation after = Incarnation.after(List.of(), each.getValue());
      changes.add(new Change(each.getKey(), List.of(), after));
      if (changes.size() == EdgeWriter.AT_ONCE) {
        writer.write(changes);
        changes.clear();
      }
    }
    writer.write(changes);
  }

  @Override
  public Optional<Map<String, String>> edge(Edge edge) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      List<Incarnation> there = tables.incarnations(edge);
      if (there.isEmpty()) {
        return Optional.empty();
      }
      byte[] value = writer.properties(edge, there.get(0));
      if (value != null) {
        return Optional.of(PropertiesCodec.decode(value));
      }
    }
    throw new IOException(
        edge + " changed each of " + TRIES + " times that it was read, or its row is lost");
  }

  @Override
  public boolean removeEdge(Edge edge) throws IOException {
    return remove(Set.of(edge));
  }

  private boolean remove(Set<Edge> edges) throws IOException {
    List<Edge> wanted = List.copyOf(edges);
    boolean wasThere = false;
    while (!wanted.isEmpty()) {
      List<List<Incarnation>> there = tables.incarnations(wanted);
      List<Change> changes = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        if (!there.get(i).isEmpty()) {
          changes.add(new Change(wanted.get(i), there.get(i), null));
        }
      }
      wasThere |= !changes.isEmpty();
      wanted = writer.write(changes).stream().map(Change::edge).toList();
    }
    return wasThere;
  }

  @Override
  public Page edges(String id, Selection selection, int limit, @Nullable String next)
      throws IOException {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("A page has 1 to " + MAX_LIMIT + " edges, not " + limit);
    }
    List<Slice> slices = tables.slices(selection);
    Continuation at = next == null ? Continuation.first(slices) : Continuation.parse(next, slices);
    List<Edge> edges = new ArrayList<>();
    while (at != null) {
      Slice slice = slices.get(at.slice());
      // One more than wanted tells whether there are more.
      int wanted = 1 + limit - edges.size();
      int cells =
          Math.min(slice.isMixed() ? Math.max(wanted, CELLS_AT_ONCE) : wanted, LISTED_AT_ONCE);
      Answer answer = reader.readKeys(slice, List.of(new Ask(id, at.from())), cells).get(0);
      for (EdgeEntry entry : answer.edges()) {
        if (edges.size() == limit) {
          return new Page(edges, at.at(Keys.prefix(entry.side(), entry.edge())).text());
        }
        edges.add(entry.edge());
      }
      at = answer.next() == null ? at.nextSlice(slices) : at.at(answer.next());
    }
    return new Page(edges, at == null ? null : at.text());
  }

  @Override
  public long degree(String id, Selection selection) throws IOException {
    long degree = 0;
    for (Slice slice : tables.slices(selection)) {
      byte[] from = slice.start();
      while (from != null) {
        Answer answer = reader.readKeys(slice, List.of(new Ask(id, from)), COUNTED_AT_ONCE).get(0);
        degree += answer.edges().size();
        from = answer.next();
      }
    }
    return degree;
  }

  @Override
  public boolean expand(Collection<String> ids, Selection selection, EdgeVisitor visitor)
      throws IOException {
    List<String> vertices = List.copyOf(new LinkedHashSet<>(ids));
    for (int from = 0; from < vertices.size(); from += VERTICES_AT_ONCE) {
      List<String> some =
          vertices.subList(from, Math.min(from + VERTICES_AT_ONCE, vertices.size()));
      for (Slice slice : tables.slices(selection)) {
        if (!expand(some, slice, visitor)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean expand(List<String> ids, Slice slice, EdgeVisitor visitor) throws IOException {
    List<Ask> asks = ids.stream().map(id -> new Ask(id, slice.start())).toList();
    while (!asks.isEmpty()) {
      List<Answer> answers = reader.readKeys(slice, asks, CELLS_AT_ONCE);
      List<Ask> more = new ArrayList<>();
      for (int i = 0; i < asks.size(); i++) {
        String id = asks.get(i).id();
        for (EdgeEntry entry : answers.get(i).edges()) {
          if (!visitor.visit(id, entry.edge())) {
            return false;
          }
        }
        byte[] next = answers.get(i).next();
        if (next != null) {
          more.add(new Ask(id, next));
        }
      }
      asks = more;
    }
    return true;
  }

  @Override
  public Mended mend(Duration grace) throws IOException {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("A grace of " + grace);
    }
    // The times of a change are some milliseconds ahead of the clock.
    long youngest =
        grace.isZero()
            ? Long.MAX_VALUE
            : System.currentTimeMillis() - TimeUnit.MILLISECONDS.convert(grace);
    return new Mender(tables, writer, youngest).run();
  }

  @Override
  public void close() throws IOException {
    tables.close();
  }
}
