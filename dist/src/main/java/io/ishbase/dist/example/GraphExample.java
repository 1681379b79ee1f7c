package io.ishbase.dist.example;

import io.ishbase.archetypes.graph.Direction;
import io.ishbase.archetypes.graph.Edge;
import io.ishbase.archetypes.graph.Graph;
import io.ishbase.archetypes.graph.Graphs;
import io.ishbase.archetypes.graph.Layout;
import io.ishbase.archetypes.graph.Page;
import io.ishbase.archetypes.graph.Selection;
import io.ishbase.archetypes.graph.Traversal;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** The classes of the running JDK as a graph, in both layouts. */
final class GraphExample implements Example {
  private static final int MANY = 300;
  private static final int FRONTIERS = 20;
  private static final int FRONTIER = 100;
  private static final int PATHS = 20;
  private static final int LIMIT = 100_000;
  private static final int LOADED_AT_ONCE = 2000;
  private static final int BAR_COLUMNS = 50;
  private static final String START = "java.util.HashMap";
  private static final String END = "java.net.URL";

  /** A little longer than the metrics of a local cluster stand still. */
  private static final long METRICS_NANOS = TimeUnit.MILLISECONDS.toNanos(1200);

  private static final int METRICS_LOOKS = 10;

  @Override
  public String name() {
    return "graph";
  }

  @Override
  public String description() {
    return "classes of the running JDK: what extends, implements and calls what";
  }

  @Override
  public void run(Connection connection, PrintStream out) throws IOException {
    ClassGraph input = ClassGraph.read();
    Map<Edge, Map<String, String>> edges = input.edges();
    out.printf(
        Locale.ROOT,
        "%,d classes of java.base in JDK %s, %,d edges between them%n",
        input.classes().size(),
        Runtime.version(),
        edges.size());
    try (Admin admin = connection.getAdmin()) {
      for (Layout layout : Layout.values()) {
        TableName name = TableName.valueOf("classes_" + layout.name().toLowerCase(Locale.ROOT));
        Graphs.drop(admin, layout, name);
        Graphs.create(admin, layout, name, Map.of("ishbase.read", "in-storage"));
        try (Graph graph = Graphs.open(connection, layout, name)) {
          out.printf("%n== %s, tables %s%n", layout, layout.tables(name));
          new Run(admin, graph, out).run(layout.tables(name), input.classes(), edges);
        }
      }
    }
  }

  /** One layout. */
  private static final class Run {
    private final Admin admin;
    private final Graph graph;
    private final Traversal traversal;
    private final PrintStream out;
    private final Random random = new Random(1);
    private final List<String> rows = new ArrayList<>();

    private Run(Admin admin, Graph graph, PrintStream out) {
      this.admin = admin;
      this.graph = graph;
      this.out = out;
      traversal = new Traversal(graph, LIMIT);
    }

    private interface Work {
      /** Returns how many operations it did. */
      int run() throws IOException;
    }

    private void run(
        List<TableName> tables,
        Map<String, Map<String, String>> classes,
        Map<Edge, Map<String, String>> edges)
        throws IOException {
      List<String> names = new ArrayList<>(classes.keySet());
      measure("add a vertex", () -> addAll(classes));
      measure("load edges, " + LOADED_AT_ONCE + " a call", () -> load(edges));
      for (TableName table : tables) {
        admin.flush(table);
      }
      showNeighbourhood();
      showPath(Selection.out());
      showPath(Selection.out(ClassGraph.CALLS));
      showDegrees(names);
      Collections.shuffle(names, random);
      measure("edges of one label, out", () -> pages(names, Selection.out(ClassGraph.CALLS)));
      measure("edges of one label, in", () -> pages(names, Selection.in(ClassGraph.CALLS)));
      measure("degree, out", () -> degrees(names));
      measure(
          "hop of " + FRONTIER + " vertices, out",
          () -> hops(names, Selection.out(ClassGraph.CALLS)));
      measure(
          "hop of " + FRONTIER + " vertices, in",
          () -> hops(names, Selection.in(ClassGraph.CALLS)));
      measure("shortest path", () -> paths(names));
      out.printf(
          "%n%-28s %10s %14s %20s%n", "operation", "how many", "a second", "storage reads each");
      rows.forEach(out::println);
    }

    private void measure(String what, Work work) throws IOException {
      double reads = storageReads();
      long start = System.nanoTime();
      int count = work.run();
      double seconds = (System.nanoTime() - start) / 1e9;
      rows.add(
          String.format(
              Locale.ROOT,
              "%-28s %,10d %,14.0f %20.2f",
              what,
              count,
              count / seconds,
              (storageReads() - reads) / count));
    }

    /**
     * Blocks and requests that the region servers have read from storage, once that stands still.
     */
    private double storageReads() throws IOException {
      double before = -1;
      double now = sumOfReads();
      for (int look = 0; look < METRICS_LOOKS && now != before; look++) {
        LockSupport.parkNanos(METRICS_NANOS);
        before = now;
        now = sumOfReads();
      }
      return now;
    }

    private double sumOfReads() throws IOException {
      double sum = 0;
      for (ServerName server : admin.getRegionServers()) {
        sum += RegionServerJmx.of(admin, server).storageReads().get("storage reads");
      }
      return sum;
    }

    private int addAll(Map<String, Map<String, String>> classes) throws IOException {
      for (Map.Entry<String, Map<String, String>> each : classes.entrySet()) {
        graph.addVertex(each.getKey(), each.getValue());
      }
      return classes.size();
    }

    private int load(Map<Edge, Map<String, String>> edges) throws IOException {
      Map<Edge, Map<String, String>> some = new HashMap<>();
      for (Map.Entry<Edge, Map<String, String>> each : edges.entrySet()) {
        some.put(each.getKey(), each.getValue());
        if (some.size() == LOADED_AT_ONCE) {
          graph.load(some);
          some.clear();
        }
      }
      graph.load(some);
      return edges.size();
    }

    private void showNeighbourhood() throws IOException {
      out.printf("%n%s %s%n", START, graph.vertex(START).orElseThrow());
      out.println("  implements " + others(START, Selection.out(ClassGraph.IMPLEMENTS)));
      out.println("  is extended by " + others(START, Selection.in(ClassGraph.EXTENDS)));
      for (Selection selection :
          List.of(Selection.out(ClassGraph.CALLS), Selection.in(ClassGraph.CALLS))) {
        Map<String, Integer> distances = traversal.neighbourhood(START, selection, 2);
        long near = distances.values().stream().filter(distance -> distance == 1).count();
        out.printf(
            "  %s: %d classes one call away, %d two%n",
            selection.direction() == Direction.OUT ? "calls" : "is called by",
            near,
            distances.size() - 1 - near);
      }
    }

    private List<String> others(String id, Selection selection) throws IOException {
      Page page = graph.edges(id, selection, 5, null);
      List<String> others = new ArrayList<>();
      page.edges().forEach(edge -> others.add(edge.other(id)));
      if (page.next() != null) {
        others.add("...");
      }
      return others;
    }

    private void showPath(Selection selection) throws IOException {
      String label = selection.label();
      out.printf(
          "%nfrom %s to %s, %s:%n", START, END, label == null ? "any edges" : label + " only");
      List<Edge> path = traversal.shortestPath(START, END, selection).orElse(List.of());
      for (Edge edge : path) {
        out.printf(
            "  %s %s %s %s%n",
            edge.from(), edge.label(), edge.to(), graph.edge(edge).orElseThrow());
      }
      if (path.isEmpty()) {
        out.println("  there is no path");
      }
    }

    private void showDegrees(List<String> names) throws IOException {
      Map<String, Integer> degrees = new HashMap<>();
      graph.expand(
          names, Selection.in(), (vertex, edge) -> degrees.merge(vertex, 1, Integer::sum) > 0);
      Map<Integer, Integer> bins = new TreeMap<>();
      for (String each : names) {
        int degree = degrees.getOrDefault(each, 0);
        bins.merge(Integer.SIZE - Integer.numberOfLeadingZeros(degree), 1, Integer::sum);
      }
      int most = Collections.max(bins.values());
      out.printf("%nedges that lead to a class%n");
      bins.forEach(
          (bin, count) ->
              out.printf(
                  Locale.ROOT,
                  "  %12s %,6d %s%n",
                  bin < 2 ? "" + bin : (1 << (bin - 1)) + " to " + ((1 << bin) - 1),
                  count,
                  "#".repeat((count * BAR_COLUMNS + most - 1) / most)));
      String top = Collections.max(degrees.entrySet(), Map.Entry.comparingByValue()).getKey();
      out.printf(Locale.ROOT, "  most to %s: %,d%n", top, degrees.get(top));
    }

    private int pages(List<String> names, Selection selection) throws IOException {
      for (String each : names.subList(0, MANY)) {
        graph.edges(each, selection, 100, null);
      }
      return MANY;
    }

    private int degrees(List<String> names) throws IOException {
      for (String each : names.subList(0, MANY)) {
        graph.degree(each, Selection.out());
      }
      return MANY;
    }

    private int hops(List<String> names, Selection selection) throws IOException {
      for (int i = 0; i < FRONTIERS; i++) {
        List<String> frontier = new ArrayList<>();
        while (frontier.size() < FRONTIER) {
          String each = names.get(random.nextInt(names.size()));
          if (!frontier.contains(each)) {
            frontier.add(each);
          }
        }
        graph.expand(frontier, selection, (vertex, edge) -> true);
      }
      return FRONTIERS;
    }

    private int paths(List<String> names) throws IOException {
      for (int i = 0; i < PATHS; i++) {
        traversal.shortestPath(names.get(i), names.get(PATHS + i), Selection.out());
      }
      return PATHS;
    }
  }
}
