package io.ishbase.archetypes.graph;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A directed graph with labels, parallel edges, loops and properties, in tables of HBase. {@link
 * Graphs} makes and opens one.
 *
 * <p>Vertices and edges are independent: an edge may lead to an id that nobody has added as a
 * vertex. A vertex is what has properties, even if there are none of them.
 *
 * <p>An edge is there or it is not, from both of its ends, at whatever point its writer died. Of an
 * addition and a removal of one edge at the same time the addition wins, unless the removal has
 * seen it. Every operation may be repeated if it failed: its work is then done. What a removal left
 * that failed half-way costs reads a look until {@link #mend} clears it away.
 *
 * <p>May be used by several threads. All methods throw {@link IllegalArgumentException} for ids,
 * labels and properties beyond {@link Limits}, and {@link IOException} if HBase fails.
 */
public interface Graph extends AutoCloseable {
  /** Adds a vertex; if it is there, its properties become those. */
  void addVertex(String id, Map<String, String> properties) throws IOException;

  /** The properties of a vertex; empty if it is none. */
  Optional<Map<String, String>> vertex(String id) throws IOException;

  /**
   * Removes a vertex and the edges that it has now; those that somebody adds meanwhile may stay.
   * The vertex goes last: if its removal fails, it is there with some of its edges.
   *
   * @return whether there was a vertex or an edge of it
   */
  boolean removeVertex(String id) throws IOException;

  /** Adds an edge; if it is there, its properties become those. */
  void addEdge(Edge edge, Map<String, String> properties) throws IOException;

  /**
   * Adds many edges without looking which are there. The properties of one that is become those,
   * and what it had before stays hidden until the edge is changed, removed or {@link #mend mended};
   * but they may stay as they were if this client's clock is behind that of the edge's last writer,
   * or while it is mended. Bad properties are found before anything is written.
   */
  void load(Map<Edge, Map<String, String>> edges) throws IOException;

  /** The properties of an edge; empty if it is none. */
  Optional<Map<String, String>> edge(Edge edge) throws IOException;

  /**
   * Removes an edge.
   *
   * @return whether it was there
   */
  boolean removeEdge(Edge edge) throws IOException;

  /**
   * The edges of a vertex, a page at a time: those of one label and direction by their other end's
   * bytes of UTF-8 and then their number. None for a vertex that nobody knows.
   *
   * @param limit how many at most, 1 to 10,000
   * @param next from the page before; null: from the first edge on
   * @throws IllegalArgumentException also if {@code next} is not of this selection
   */
  Page edges(String id, Selection selection, int limit, @Nullable String next) throws IOException;

  /** How many such edges there are. They are counted, a bounded number of them at a time. */
  long degree(String id, Selection selection) throws IOException;

  /**
   * Shows the edges of several vertices to {@code visitor}, in no particular order. Hundreds of
   * vertices are asked for in one call of HBase's client.
   *
   * @return whether the visitor has seen all
   */
  boolean expand(Collection<String> ids, Selection selection, EdgeVisitor visitor)
      throws IOException;

  /**
   * Looks at both ends of all edges, clears away what writers left that died, and settles what is
   * in doubt. No answer changes by it, but reads need no longer verify these edges. Changes and
   * removals at the same time are done as if nobody mended. The exception is an edge that has lost
   * its row of properties, for which {@link #edge} fails: it is removed.
   *
   * @param grace how long a write may be under way: what is younger is left alone. Longer than the
   *     time after which clients give up, and than their clocks differ; zero if nobody writes
   */
  Mended mend(Duration grace) throws IOException;

  @Override
  void close() throws IOException;
}
