package io.ishbase.bench.archetype;

import io.ishbase.archetypes.graph.Edge;
import io.ishbase.archetypes.graph.Graph;
import io.ishbase.archetypes.graph.Graphs;
import io.ishbase.archetypes.graph.Layout;
import io.ishbase.archetypes.graph.Selection;
import io.ishbase.archetypes.graph.Traversal;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Workers;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.Bytes;

/** A graph of vertices with ten edges each, and what walks over it. */
public final class GraphTable {
  public static final int EDGES = 10;

  /** Vertices whose edges are asked for at once. */
  public static final int FRONTIER = 100;

  private static final Layout LAYOUT = Layout.ADJACENCY;
  private static final Selection KNOWN = Selection.out("knows");

  /** Of an edge at both of its ends, about. */
  private static final int EDGE_BYTES = 200;

  private static final int LOADED_AT_ONCE = 100;
  private static final int WRITERS = 8;
  private static final int LIMIT = 100_000;
  private static final byte[] FAMILY = Bytes.toBytes("g");

  /** Primes, so that neighbours are spread, and differ. */
  private static final long SCATTER = 2_147_483_647L;

  private static final long STEP = 1_000_003;

  private final Connection connection;
  private final TableName name;
  private final long vertices;
  private final TableFormat format;

  /**
   * A graph.
   *
   * @param format how files keep it
   */
  public GraphTable(Connection connection, String name, long vertices, TableFormat format) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
    this.vertices = vertices;
    this.format = format;
  }

  /** How many vertices with their edges have about as many bytes as {@code rows} rows of 1 KB. */
  public static long like(long rows) {
    return Math.max(1000, rows * 1000 / (EDGES * EDGE_BYTES));
  }

  /**
   * Creates it anew, full, in one file.
   *
   * @param read {@code ishbase.read} of the table
   */
  public void create(String read) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      Graphs.drop(admin, LAYOUT, name);
      Graphs.create(admin, LAYOUT, name, Map.of("ishbase.read", read));
      for (TableName table : LAYOUT.tables(name)) {
        admin.modifyTable(Formats.of(format, admin.getDescriptor(table), FAMILY));
      }
    }
    try (Progress progress =
            new Progress(
                String.format(
                    Locale.ROOT, "loading %s, %,d vertices of %d edges", name, vertices, EDGES),
                vertices);
        Graph graph = open()) {
      Workers.run(
          WRITERS,
          worker -> {
            long end = vertices * (worker + 1) / WRITERS;
            for (long at = vertices * worker / WRITERS; at < end; at += LOADED_AT_ONCE) {
              long next = Math.min(end, at + LOADED_AT_ONCE);
              graph.load(edges(at, next));
              progress.add(next - at);
            }
          });
      for (TableName table : LAYOUT.tables(name)) {
        Tables.intoOneFileEach(connection, table);
      }
      progress.done("");
    }
  }

  private Graph open() throws IOException {
    return Graphs.open(connection, LAYOUT, name);
  }

  private Map<Edge, Map<String, String>> edges(long from, long to) {
    Map<Edge, Map<String, String>> edges = new HashMap<>();
    for (long vertex = from; vertex < to; vertex++) {
      for (long neighbour : neighbours(vertex)) {
        edges.put(
            Edge.of(id(vertex), "knows", id(neighbour)), Map.of("since", "" + neighbour % 60));
      }
    }
    return edges;
  }

  private static String id(long vertex) {
    return "vertex" + vertex;
  }

  private Set<Long> neighbours(long vertex) {
    Set<Long> all = new HashSet<>();
    for (int i = 1; i <= EDGES; i++) {
      all.add((vertex * SCATTER + i * STEP) % vertices);
    }
    return all;
  }

  /** The vertices at most two edges from a random one; each is checked. */
  public Load neighbourhoods(long seed) {
    return load(
        seed,
        (graph, random, tally) -> {
          long start = random.nextLong(vertices);
          Set<Long> expected = new HashSet<>(Set.of(start));
          for (long near : neighbours(start)) {
            expected.add(near);
            expected.addAll(neighbours(near));
          }
          Set<String> met = new Traversal(graph, LIMIT).neighbourhood(id(start), KNOWN, 2).keySet();
          if (!met.equals(ids(expected))) {
            throw new IOException(id(start) + ": met " + met.size() + " of " + expected.size());
          }
          tally.read(new Moved(1 + EDGES, 0, (1L + EDGES) * EDGES * EDGE_BYTES / 2));
        });
  }

  /** The edges of {@value #FRONTIER} random vertices, asked for at once; each is checked. */
  public Load frontiers(long seed) {
    return load(
        seed,
        (graph, random, tally) -> {
          Set<Long> frontier = new HashSet<>();
          while (frontier.size() < Math.min(FRONTIER, vertices)) {
            frontier.add(random.nextLong(vertices));
          }
          Set<List<String>> expected = new HashSet<>();
          for (long vertex : frontier) {
            neighbours(vertex).forEach(near -> expected.add(List.of(id(vertex), id(near))));
          }
          Set<List<String>> met = new HashSet<>();
          graph.expand(ids(frontier), KNOWN, (vertex, edge) -> met.add(List.of(vertex, edge.to())));
          if (!met.equals(expected)) {
            throw new IOException("met " + met.size() + " of " + expected.size() + " edges");
          }
          tally.read(new Moved(FRONTIER, 0, (long) FRONTIER * EDGES * EDGE_BYTES / 2));
        });
  }

  private static Set<String> ids(Set<Long> vertices) {
    Set<String> ids = new HashSet<>();
    vertices.forEach(vertex -> ids.add(id(vertex)));
    return ids;
  }

  private interface Walk {
    void walk(Graph graph, SplittableRandom random, Tally tally) throws IOException;
  }

  private Load load(long seed, Walk walk) {
    return worker -> {
      Graph graph = open();
      SplittableRandom random = new SplittableRandom(seed + worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          walk.walk(graph, random, tally);
        }

        @Override
        public void close() throws IOException {
          graph.close();
        }
      };
    };
  }
}
