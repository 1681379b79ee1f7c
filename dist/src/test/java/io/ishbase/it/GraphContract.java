package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.archetypes.graph.Edge;
import io.ishbase.archetypes.graph.Graph;
import io.ishbase.archetypes.graph.Graphs;
import io.ishbase.archetypes.graph.Layout;
import io.ishbase.archetypes.graph.Limits;
import io.ishbase.archetypes.graph.Mended;
import io.ishbase.archetypes.graph.Page;
import io.ishbase.archetypes.graph.Progress;
import io.ishbase.archetypes.graph.Selection;
import io.ishbase.archetypes.graph.Step;
import io.ishbase.archetypes.graph.Traversal;
import io.ishbase.archetypes.graph.VisitLimitException;
import io.ishbase.core.Setting;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a graph does, whatever its layout. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GraphContract {
  private static final byte[] FAMILY = Bytes.toBytes("g");
  private static final Map<String, String> NONE = Map.of();
  private static final List<String> IDS =
      List.of("a", "a\0", "a\0b", "b", "ä", "\uffff", "longer/than.the-others", "z");
  private static final List<String> LABELS = List.of("calls", "calls\0", "is");

  private static int graphs;

  private final MiniCluster cluster;
  private final Layout layout;
  private final TableName shared;
  private TableName name;
  private Graph graph;

  GraphContract(MiniCluster cluster, Layout layout) {
    this.cluster = cluster;
    this.layout = layout;
    shared = TableName.valueOf("graph_" + layout);
  }

  @BeforeAll
  void createShared() throws IOException {
    create(shared);
  }

  private void create(TableName graphName) throws IOException {
    Graphs.create(
        cluster.util.getAdmin(),
        layout,
        graphName,
        // Tests say themselves where files go.
        Map.of(MiniCluster.READ, MiniCluster.IN_STORAGE, Setting.PLACEMENT.key(), "false"));
  }

  @BeforeEach
  void open() throws IOException {
    name = shared;
    graph = Graphs.open(cluster.connection(), layout, name);
  }

  /** Goes on with a graph of which nobody has seen anything. */
  private void openAnother() throws IOException {
    graph.close();
    name = TableName.valueOf("graph" + graphs++);
    create(name);
    graph = Graphs.open(cluster.connection(), layout, name);
  }

  /** Markers with the times of the cells hide nothing that comes later. */
  @AfterEach
  void clearShared() throws IOException {
    graph.close();
    for (TableName each : layout.tables(shared)) {
      try (Table table = cluster.connection().getTable(each);
          ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result row : scanner) {
          table.delete(exactly(row));
        }
      }
    }
  }

  private static Delete exactly(Result row) {
    Delete delete = new Delete(row.getRow());
    for (Cell cell : row.rawCells()) {
      delete.addColumns(FAMILY, CellUtil.cloneQualifier(cell), cell.getTimestamp());
    }
    return delete;
  }

  private void flush() throws IOException {
    for (TableName table : layout.tables(name)) {
      cluster.util.flush(table);
    }
  }

  private TableName near() {
    return layout == Layout.ADJACENCY ? name : layout.tables(name).get(2);
  }

  private TableName far() {
    return layout == Layout.ADJACENCY ? name : layout.tables(name).get(3);
  }

  private List<Edge> all(String id, Selection selection, int limit) throws IOException {
    List<Edge> edges = new ArrayList<>();
    String next = null;
    do {
      Page page = graph.edges(id, selection, limit, next);
      assertThat(page.edges()).hasSizeLessThanOrEqualTo(limit);
      edges.addAll(page.edges());
      next = page.next();
    } while (next != null);
    return edges;
  }

  private static <T> T one(List<T> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  private static Selection selection(Random random) {
    String label = random.nextBoolean() ? null : one(LABELS, random);
    Selection out = label == null ? Selection.out() : Selection.out(label);
    Selection both = label == null ? Selection.both() : Selection.both(label);
    return one(List.of(out, out.reversed(), both), random);
  }

  private static Edge edge(Random random) {
    return new Edge(
        one(IDS, random), one(LABELS, random), one(IDS, random), random.nextInt(3) - 1L);
  }

  // --- against a model

  @Test
  void isWhatAModelIs() throws Exception {
    Random random = new Random(Seed.get());
    GraphModel model = new GraphModel();
    long cells = InStorageMetrics.get().cells();
    for (int i = 0; i < 120; i++) {
      change(model, random, i);
      check(model, random);
    }
    flush();
    for (int i = 0; i < 60; i++) {
      check(model, random);
      checkPaths(model, random);
    }
    assertThat(InStorageMetrics.get().cells()).as("read in storage").isGreaterThan(cells + 100);
    assertThat(graph.mend(Duration.ZERO).entries()).isGreaterThanOrEqualTo(2L * model.edges.size());
    assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(2L * model.edges.size(), 0, 0));
    for (int i = 0; i < 50; i++) {
      check(model, random);
    }
  }

  private void change(GraphModel model, Random random, int number) throws IOException {
    Map<String, String> properties =
        random.nextBoolean() ? NONE : Map.of("number", "" + number, "\0", "\uffff");
    String id = one(IDS, random);
    Edge edge = edge(random);
    switch (random.nextInt(30)) {
      case 0 -> cluster.util.flush(one(layout.tables(name), random));
      case 1 -> {
        cluster.util.compact(one(layout.tables(name), random), random.nextBoolean());
      }
      case 2, 3, 4 -> {
        graph.addVertex(id, properties);
        model.vertices.put(id, properties);
      }
      case 5 -> assertThat(graph.removeVertex(id)).isEqualTo(model.removeVertex(id));
      case 6, 7, 8, 9 ->
          assertThat(graph.removeEdge(edge)).isEqualTo(model.edges.remove(edge) != null);
      case 10 -> {
        Map<Edge, Map<String, String>> many = new HashMap<>();
        for (int i = 0; i < 5; i++) {
          many.put(edge(random), properties);
        }
        // What is there already is newer if a clock's millisecond has not passed.
        many.keySet().removeAll(model.edges.keySet());
        graph.load(many);
        model.edges.putAll(many);
      }
      default -> {
        graph.addEdge(edge, properties);
        model.edges.put(edge, properties);
      }
    }
  }

  private void check(GraphModel model, Random random) throws IOException {
    String id = one(IDS, random);
    Selection selection = selection(random);
    List<Edge> wanted = model.edges(id, selection);
    assertThat(all(id, selection, 1 + random.nextInt(5)))
        .as("%s of %s", selection, id)
        .containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(graph.degree(id, selection)).isEqualTo(wanted.size());
    assertThat(graph.vertex(id)).isEqualTo(Optional.ofNullable(model.vertices.get(id)));
    Edge edge = edge(random);
    assertThat(graph.edge(edge)).isEqualTo(Optional.ofNullable(model.edges.get(edge)));
    for (Edge there : wanted.subList(0, Math.min(2, wanted.size()))) {
      assertThat(graph.edge(there)).contains(model.edges.get(there));
    }
  }

  private void checkPaths(GraphModel model, Random random) throws IOException {
    Traversal traversal = new Traversal(graph, 100);
    Selection selection = selection(random);
    String from = one(IDS, random);
    String to = one(IDS, random);
    Map<String, Integer> distances = model.distances(from, selection);
    int hops = random.nextInt(3);
    Map<String, Integer> near = new HashMap<>(distances);
    near.values().removeIf(distance -> distance > hops);
    assertThat(traversal.neighbourhood(from, selection, hops)).isEqualTo(near);
    Optional<List<Edge>> path = traversal.shortestPath(from, to, selection);
    assertThat(path.map(List::size)).isEqualTo(Optional.ofNullable(distances.get(to)));
    String at = from;
    for (Edge edge : path.orElse(List.of())) {
      assertThat(model.edges(at, selection)).contains(edge);
      at = edge.other(at);
    }
    assertThat(path.isEmpty() || at.equals(to)).isTrue();
  }

  // --- loops, parallel edges, unknown vertices

  @Test
  void aLoopHasTwoEndsAtOneVertex() throws Exception {
    Edge loop = Edge.of("a", "is", "a");
    graph.addEdge(loop, Map.of("why", "not"));
    assertThat(all("a", Selection.out(), 10)).containsExactly(loop);
    assertThat(all("a", Selection.in(), 10)).containsExactly(loop);
    assertThat(all("a", Selection.both(), 10)).containsExactly(loop, loop);
    assertThat(graph.degree("a", Selection.both("is"))).isEqualTo(2);
    assertThat(new Traversal(graph, 0).neighbourhood("a", Selection.both(), 9))
        .isEqualTo(Map.of("a", 0));
    assertThat(graph.removeVertex("a")).isTrue();
    assertThat(graph.edge(loop)).isEmpty();
    assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(0, 0, 0));
  }

  @Test
  void parallelEdgesAndCyclesAreEdgesOfTheirOwn() throws Exception {
    Edge first = new Edge("a", "calls", "b", -7);
    Edge second = new Edge("a", "calls", "b", Long.MAX_VALUE);
    Edge back = Edge.of("b", "calls", "a");
    graph.addEdge(second, Map.of("line", "2"));
    graph.addEdge(first, Map.of("line", "1"));
    graph.addEdge(back, NONE);
    assertThat(all("a", Selection.out("calls"), 1)).containsExactly(first, second);
    assertThat(all("b", Selection.in(), 1)).containsExactly(first, second);
    assertThat(graph.removeEdge(first)).isTrue();
    assertThat(graph.removeEdge(first)).isFalse();
    assertThat(graph.edge(second)).contains(Map.of("line", "2"));
    Traversal traversal = new Traversal(graph, 10);
    assertThat(traversal.neighbourhood("a", Selection.out(), 100))
        .isEqualTo(Map.of("a", 0, "b", 1));
    assertThat(traversal.shortestPath("b", "a", Selection.out())).contains(List.of(back));
  }

  @Test
  void nobodyKnowsAnythingOfAnUnknownVertex() throws Exception {
    graph.addEdge(Edge.of("a", "is", "b"), NONE);
    assertThat(graph.vertex("nobody")).isEmpty();
    assertThat(graph.vertex("b")).as("an end of an edge need not be a vertex").isEmpty();
    assertThat(graph.edges("nobody", Selection.both(), 5, null))
        .isEqualTo(new Page(List.of(), null));
    assertThat(graph.degree("nobody", Selection.both())).isZero();
    assertThat(graph.removeVertex("nobody")).isFalse();
    assertThat(graph.edge(Edge.of("a", "is", "nobody"))).isEmpty();
    Traversal traversal = new Traversal(graph, 10);
    assertThat(traversal.shortestPath("a", "nobody", Selection.out())).isEmpty();
    assertThat(traversal.shortestPath("nobody", "nobody", Selection.out())).contains(List.of());
    graph.addVertex("b", NONE);
    assertThat(graph.vertex("b")).contains(NONE);
  }

  @Test
  void whatIsRemovedAndAddedInOneMillisecondIsThere() throws Exception {
    Edge edge = Edge.of("a", "is", "b");
    for (int i = 0; i < 30; i++) {
      graph.addEdge(edge, Map.of("i", "" + i));
      graph.addVertex("a", Map.of("i", "" + i));
      assertThat(graph.edge(edge)).contains(Map.of("i", "" + i));
      assertThat(all("b", Selection.in(), 5)).containsExactly(edge);
      assertThat(graph.vertex("a")).contains(Map.of("i", "" + i));
      assertThat(graph.removeVertex("a")).isTrue();
      assertThat(graph.vertex("a")).isEmpty();
      assertThat(all("b", Selection.in(), 5)).isEmpty();
    }
  }

  @Test
  void whatIsLoadedTwiceIsThereOnce() throws Exception {
    Map<Edge, Map<String, String>> edges = new LinkedHashMap<>();
    for (int i = 0; i < 40; i++) {
      edges.put(Edge.of("a", "is", "v" + i), Map.of("i", "" + i));
    }
    graph.load(edges);
    graph.load(edges);
    assertThat(all("a", Selection.out(), 7)).containsExactlyInAnyOrderElementsOf(edges.keySet());
    assertThat(graph.degree("a", Selection.out("is"))).isEqualTo(40);
    assertThat(graph.degree("v7", Selection.in())).isEqualTo(1);
    assertThat(graph.removeEdge(Edge.of("a", "is", "v7"))).isTrue();
    assertThat(graph.degree("v7", Selection.in())).isZero();
    assertThat(graph.mend(Duration.ZERO).rewritten()).isEqualTo(39);
    assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(2 * 39, 0, 0));
    assertThat(graph.edge(Edge.of("a", "is", "v8"))).contains(Map.of("i", "8"));
  }

  // --- writers that die, and many at once

  private static final class Death extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private interface Change {
    void run(Graph dying) throws IOException;
  }

  /** Whether the writer died after that step. */
  private boolean dies(Step after, Change change) throws IOException {
    try (Graph dying =
        Graphs.open(
            cluster.connection(),
            layout,
            name,
            step -> {
              if (step == after) {
                throw new Death();
              }
            })) {
      change.run(dying);
      return false;
    } catch (Death e) {
      return true;
    }
  }

  @Test
  void aWriterThatDiesLeavesTheEdgeAsItWasOrAsItWasToBe() throws Exception {
    int deaths = 0;
    for (Step step : Step.values()) {
      boolean decided = step.compareTo(Step.DECIDED) >= 0;
      Optional<Map<String, String>> before = Optional.of(Map.of("version", "1"));
      Optional<Map<String, String>> after = Optional.of(Map.of("version", "2"));
      for (boolean mends : new boolean[] {true, false}) {
        String id = step + "/" + mends + "/";
        Edge added = Edge.of(id + "a", "is", id + "b");
        Change add = dying -> dying.addEdge(added, Map.of("version", "2"));
        deaths += survives(added, step, add, mends, decided ? after : Optional.empty(), after);

        Edge changed = new Edge(id + "c", "is", id + "d", 3);
        graph.addEdge(changed, Map.of("version", "1"));
        Change change = dying -> dying.addEdge(changed, Map.of("version", "2"));
        deaths += survives(changed, step, change, mends, decided ? after : before, after);

        Edge removed = Edge.of(id + "e", "is", id + "e");
        graph.addEdge(removed, Map.of("version", "1"));
        Change remove = dying -> dying.removeEdge(removed);
        deaths +=
            survives(
                removed,
                step,
                remove,
                mends,
                decided ? Optional.empty() : before,
                Optional.empty());
      }
    }
    // A layout without rows of edges has three steps; with them a change has five, an addition and
    // a
    // removal four each.
    assertThat(deaths).isEqualTo(layout == Layout.ADJACENCY ? 2 * 3 * 3 : 2 * (4 + 5 + 4));
    graph.mend(Duration.ZERO);
    if (layout == Layout.EDGE_TABLE) {
      assertThat(cells(layout.tables(name).get(1)))
          .as("nothing is left of what was replaced")
          .isEqualTo(graph.mend(Duration.ZERO).entries() / 2);
    }
  }

  private int survives(
      Edge edge,
      Step step,
      Change change,
      boolean mends,
      Optional<Map<String, String>> left,
      Optional<Map<String, String>> done)
      throws IOException {
    boolean died = dies(step, change);
    Optional<Map<String, String>> now = died ? left : done;
    checkEdge(edge, now);
    if (mends) {
      graph.mend(Duration.ZERO);
      checkEdge(edge, now);
      assertThat(graph.mend(Duration.ZERO).rewritten()).as("nothing is in doubt").isZero();
      assertThat(cellsAt(far(), edge.to())).isEqualTo(now.isPresent() ? 1 : 0);
    } else {
      change.run(graph);
      checkEdge(edge, done);
    }
    return died ? 1 : 0;
  }

  private long cells(TableName table) throws IOException {
    long cells = 0;
    try (Table opened = cluster.connection().getTable(table);
        ResultScanner scanner = opened.getScanner(new Scan())) {
      for (Result row : scanner) {
        cells += row.size();
      }
    }
    return cells;
  }

  /** Of edges that lead there. */
  private int cellsAt(TableName table, String id) throws IOException {
    int cells = 0;
    try (Table opened = cluster.connection().getTable(table)) {
      Result row = opened.get(new Get(Bytes.toBytes(id)));
      for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
        byte[] column = CellUtil.cloneQualifier(cell);
        byte[] ofLabel = Bytes.add(Bytes.toBytes("eis"), new byte[] {0, 1, 2});
        cells += Bytes.startsWith(column, ofLabel) ? 1 : 0;
      }
    }
    return cells;
  }

  private void checkEdge(Edge edge, Optional<Map<String, String>> wanted) throws IOException {
    List<Edge> edges = wanted.isPresent() ? List.of(edge) : List.of();
    assertThat(graph.edge(edge)).isEqualTo(wanted);
    assertThat(all(edge.from(), Selection.out(), 10)).isEqualTo(edges);
    assertThat(all(edge.to(), Selection.in("is"), 10)).isEqualTo(edges);
    assertThat(graph.degree(edge.to(), Selection.in())).isEqualTo(edges.size());
    Set<Edge> seen = new HashSet<>();
    graph.expand(List.of(edge.to(), "nobody"), Selection.in(), (vertex, each) -> seen.add(each));
    assertThat(seen).isEqualTo(Set.copyOf(edges));
  }

  @Test
  void theYoungAreNotMended() throws Exception {
    Edge edge = Edge.of("a", "is", "b");
    assertThat(dies(Step.ANNOUNCED, dying -> dying.addEdge(edge, NONE))).isTrue();
    assertThat(graph.mend(Duration.ofHours(1))).isEqualTo(new Mended(1, 0, 0));
    assertThat(cellsAt(far(), "b")).isEqualTo(1);
    assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(1, 1, 0));
    assertThat(cellsAt(far(), "b")).isZero();
  }

  @Test
  void aLostFarEndIsWrittenAnew() throws Exception {
    Edge edge = Edge.of("a", "is", "b");
    graph.addEdge(edge, Map.of("version", "1"));
    try (Table table = cluster.connection().getTable(far())) {
      table.delete(exactly(table.get(new Get(Bytes.toBytes("b")))));
    }
    assertThat(all("b", Selection.in(), 10)).isEmpty();
    assertThat(graph.mend(Duration.ZERO).rewritten()).isEqualTo(1);
    checkEdge(edge, Optional.of(Map.of("version", "1")));
  }

  // --- changes while somebody mends

  private static final Edge OLD = Edge.of("a", "is", "b");

  /** Makes everything look as if it had been written two days ago. */
  private void age() throws IOException {
    for (TableName each : layout.tables(name)) {
      try (Table table = cluster.connection().getTable(each);
          ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result row : scanner) {
          Put old = new Put(row.getRow());
          for (Cell cell : row.rawCells()) {
            // Another stamp: the markers of what was there hide all that is older.
            byte[] column = CellUtil.cloneQualifier(cell);
            int last = column.length - 1;
            column[last] = (byte) (column[last] ^ 1);
            long time = cell.getTimestamp() - Duration.ofDays(2).toMillis();
            old.addColumn(FAMILY, column, time, CellUtil.cloneValue(cell));
          }
          table.delete(exactly(row));
          table.put(old);
        }
      }
    }
  }

  /** Changes {@link #OLD}, which is mended once when the change has come that far. */
  private void changeWhileMended(Step at, Duration grace, Change change) throws IOException {
    graph.addEdge(OLD, Map.of("version", "1"));
    age();
    checkEdge(OLD, Optional.of(Map.of("version", "1")));
    List<Mended> mended = new ArrayList<>();
    Progress mends =
        step -> {
          if (step == at && mended.isEmpty()) {
            mended.add(graph.mend(grace));
          }
        };
    try (Graph changing = Graphs.open(cluster.connection(), layout, name, mends)) {
      change.run(changing);
    }
    assertThat(mended).hasSize(1);
    if (at == Step.ANNOUNCED) {
      assertThat(mended.get(0).rewritten()).as("old and in doubt").isEqualTo(1);
    }
  }

  @Test
  void aRemovalOfAnOldEdgeIsDoneThoughItIsMendedMeanwhile() throws Exception {
    for (Duration grace : List.of(Duration.ZERO, Duration.ofHours(1))) {
      for (Step at : List.of(Step.ANNOUNCED, Step.DECIDED)) {
        changeWhileMended(
            at, grace, changing -> assertThat(changing.removeEdge(OLD)).as("was there").isTrue());
        checkEdge(OLD, Optional.empty());
        assertNothingIsLeft();
        changeWhileMended(at, grace, changing -> changing.removeVertex("a"));
        checkEdge(OLD, Optional.empty());
        assertNothingIsLeft();
      }
    }
  }

  private void assertNothingIsLeft() throws IOException {
    for (TableName table : layout.tables(name)) {
      assertThat(cells(table)).as("cells of %s", table).isZero();
    }
  }

  @Test
  void aChangeOfAnOldEdgeCountsThoughItIsMendedMeanwhile() throws Exception {
    for (Duration grace : List.of(Duration.ZERO, Duration.ofHours(1))) {
      for (Step at : List.of(Step.ANNOUNCED, Step.DECIDED)) {
        changeWhileMended(at, grace, changing -> changing.addEdge(OLD, Map.of("version", "2")));
        checkEdge(OLD, Optional.of(Map.of("version", "2")));
        assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(2, 0, 0));
        assertThat(cells(layout.tables(name).get(layout == Layout.ADJACENCY ? 0 : 1)))
            .as("cells where the properties are")
            .isEqualTo(layout == Layout.ADJACENCY ? 2 : 1);
        assertThat(graph.removeEdge(OLD)).isTrue();
      }
    }
  }

  @Test
  void whatIsLoadedHasTheTimeOfItsWrite() throws Exception {
    Map<Edge, Map<String, String>> edges = new LinkedHashMap<>();
    for (int i = 0; i < 600; i++) {
      edges.put(Edge.of("a", "is", "v" + i), NONE);
    }
    edges.put(Edge.of("a", "is", "bad"), Map.of("", "no name"));
    assertThatThrownBy(() -> graph.load(edges)).isInstanceOf(IllegalArgumentException.class);
    assertNothingIsLeft();
    edges.remove(Edge.of("a", "is", "bad"));
    List<Long> settled = new ArrayList<>();
    Progress ticks =
        step -> {
          if (step == Step.SETTLED) {
            long now = System.currentTimeMillis();
            MiniCluster.await("the next millisecond", () -> System.currentTimeMillis() > now);
            settled.add(now);
          }
        };
    try (Graph loading = Graphs.open(cluster.connection(), layout, name, ticks)) {
      loading.load(edges);
    }
    assertThat(settled).hasSize(2);
    int later = 0;
    try (Table table = cluster.connection().getTable(near())) {
      for (Cell cell : table.get(new Get(Bytes.toBytes("a"))).rawCells()) {
        later += cell.getTimestamp() > settled.get(0) ? 1 : 0;
      }
    }
    assertThat(later).as("what was written later").isEqualTo(100);
    assertThat(graph.degree("a", Selection.out())).isEqualTo(600);
  }

  /** As where a writer was slower than the grace. */
  @Test
  void anEdgeWithoutItsRowOfPropertiesIsRemoved() throws Exception {
    if (layout == Layout.ADJACENCY) {
      return;
    }
    graph.addEdge(OLD, Map.of("version", "1"));
    loseRecord();
    assertThatThrownBy(() -> graph.edge(OLD))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("or its row is lost");
    assertThat(graph.mend(Duration.ZERO))
        .as("the far end is gone before it is looked at")
        .isEqualTo(new Mended(1, 1, 0));
    checkEdge(OLD, Optional.empty());
    assertNothingIsLeft();
    graph.addEdge(OLD, Map.of("version", "2"));
    loseRecord();
    age();
    graph.load(Map.of(OLD, Map.of("version", "3")));
    assertThat(graph.mend(Duration.ZERO).rewritten()).isEqualTo(1);
    checkEdge(OLD, Optional.of(Map.of("version", "3")));
  }

  private void loseRecord() throws IOException {
    try (Table table = cluster.connection().getTable(layout.tables(name).get(1));
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result row : scanner) {
        table.delete(exactly(row));
      }
    }
  }

  @Test
  void writersAtOnceLeaveBothEndsInAgreement() throws Exception {
    long seed = Seed.get();
    List<String> ids = List.of("a", "b", "c", "d");
    Edge always = Edge.of("a", "is", "b");
    graph.addEdge(always, NONE);
    ExecutorService threads = Executors.newFixedThreadPool(5);
    AtomicBoolean done = new AtomicBoolean();
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        Random random = new Random(seed + writer);
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 60; i++) {
                    Edge edge = Edge.of(one(ids, random), "calls", one(ids, random));
                    switch (random.nextInt(5)) {
                      case 0, 1 -> graph.removeEdge(edge);
                      case 2 -> graph.addEdge(always, Map.of("i", "" + i));
                      default -> graph.addEdge(edge, Map.of("i", "" + i));
                    }
                  }
                  return null;
                }));
      }
      Future<Integer> looks =
          threads.submit(
              () -> {
                int count = 0;
                while (!done.get()) {
                  assertThat(all("a", Selection.out("is"), 10)).containsExactly(always);
                  assertThat(all("b", Selection.in("is"), 10)).containsExactly(always);
                  assertThat(graph.edge(always)).isPresent();
                  count++;
                }
                return count;
              });
      for (Future<?> writer : writers) {
        writer.get();
      }
      done.set(true);
      assertThat(looks.get()).isPositive();
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
    Set<Edge> there = checkEnds(ids);
    graph.mend(Duration.ZERO);
    assertThat(checkEnds(ids)).isEqualTo(there);
    assertThat(graph.mend(Duration.ZERO)).isEqualTo(new Mended(2L * there.size(), 0, 0));
  }

  private Set<Edge> checkEnds(List<String> ids) throws IOException {
    Set<Edge> out = new HashSet<>();
    Set<Edge> in = new HashSet<>();
    for (String id : ids) {
      out.addAll(all(id, Selection.out(), 3));
      in.addAll(all(id, Selection.in(), 3));
    }
    assertThat(in).isEqualTo(out);
    for (Edge edge : out) {
      assertThat(graph.edge(edge)).isPresent();
    }
    return out;
  }

  // --- what it costs

  @Test
  void aWideVertexComesInPagesThatCostWhatTheyHold() throws Exception {
    openAnother();
    int width = layout == Layout.ADJACENCY ? 100_000 : 10_000;
    Map<Edge, Map<String, String>> edges = new LinkedHashMap<>();
    for (int i = 0; i < width; i++) {
      edges.put(Edge.of("wide", i % 100 == 0 ? "is" : "calls", String.format("v%06d", i)), NONE);
    }
    graph.load(edges);
    flush();
    awaitStorage(List.of("wide"), Selection.out("is"));
    InStorageMetrics metrics = InStorageMetrics.get();
    Set<Edge> seen = new HashSet<>();
    String next = null;
    int pages = 0;
    do {
      long bytes = metrics.inStorageBytes();
      Page page = graph.edges("wide", Selection.out(), 1000, next);
      assertThat(metrics.inStorageBytes() - bytes).as("bytes of a page").isLessThan(1000 * 120L);
      assertThat(page.edges()).hasSizeLessThanOrEqualTo(1000);
      seen.addAll(page.edges());
      next = page.next();
      pages++;
    } while (next != null);
    assertThat(seen).isEqualTo(edges.keySet());
    assertThat(pages).isEqualTo(width / 1000);
    long bytes = metrics.inStorageBytes();
    assertThat(all("wide", Selection.out("is"), 50)).hasSize(width / 100);
    assertThat(metrics.inStorageBytes() - bytes)
        .as("bytes of a label, of which each page of 50 asks for one more")
        .isLessThan((width / 100 + width / 5000) * 120L);
    assertThat(graph.degree("wide", Selection.both())).isEqualTo(width);
    Set<Edge> expanded = new HashSet<>();
    assertThat(
            graph.expand(
                List.of("wide", "nobody"), Selection.out(), (vertex, edge) -> expanded.add(edge)))
        .isTrue();
    assertThat(expanded).isEqualTo(edges.keySet());
    assertThatThrownBy(() -> new Traversal(graph, 1000).neighbourhood("wide", Selection.out(), 1))
        .isInstanceOf(VisitLimitException.class)
        .hasMessageContaining("More than 1000 vertices");
  }

  @Test
  void aFrontierOfAHundredVerticesCostsOneRequestOfEachStorageNode() throws Exception {
    openAnother();
    for (int node = 0; node < 2; node++) {
      Map<Edge, Map<String, String>> edges = new LinkedHashMap<>();
      for (int i = 0; i < 120; i++) {
        edges.put(Edge.of("v" + i, "is", "v" + (i * 7 + node) % 120), Map.of("i", "" + i));
      }
      cluster.setHome(near(), node);
      cluster.setHome(far(), node);
      graph.load(edges);
      flush();
      for (Selection selection : List.of(Selection.out("is"), Selection.in("is"))) {
        TableName table = selection.equals(Selection.out("is")) ? near() : far();
        List<String> frontier = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          frontier.add("v" + i);
        }
        int nodes = holders(table).size();
        assertThat(nodes).isEqualTo(node + 1);
        awaitRequests(frontier, selection, nodes);
        long edgesBefore = seenFrom(frontier, selection);
        long requests = InStorageMetrics.get().requests();
        assertThat(seenFrom(frontier, selection)).isEqualTo(edgesBefore).isGreaterThan(90L);
        assertThat(InStorageMetrics.get().requests() - requests)
            .as("requests for a hop %s", selection.direction())
            .isEqualTo(nodes);
      }
    }
  }

  private long seenFrom(List<String> frontier, Selection selection) throws IOException {
    List<Edge> seen = new ArrayList<>();
    assertThat(graph.expand(frontier, selection, (vertex, edge) -> seen.add(edge))).isTrue();
    return seen.size();
  }

  private void awaitStorage(List<String> frontier, Selection selection) {
    MiniCluster.await(
        "an answer from storage",
        () -> {
          try {
            long before = InStorageMetrics.get().cells();
            seenFrom(frontier, selection);
            return InStorageMetrics.get().cells() > before;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void awaitRequests(List<String> frontier, Selection selection, int nodes) {
    MiniCluster.await(
        "requests to all storage nodes",
        () -> {
          try {
            long before = InStorageMetrics.get().requests();
            seenFrom(frontier, selection);
            return InStorageMetrics.get().requests() - before == nodes;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private Set<String> holders(TableName table) throws IOException {
    Set<String> holders = new HashSet<>();
    for (HStoreFile file : cluster.regions(table).get(0).getStores().get(0).getStorefiles()) {
      for (BlockLocation block :
          cluster.util.getTestFileSystem().getFileBlockLocations(file.getPath(), 0, 1)) {
        holders.addAll(List.of(block.getNames()));
      }
    }
    return holders;
  }

  // --- bad input

  @Test
  void badInputGetsOneClearError() throws Exception {
    String tooLong = "x".repeat(Limits.ID_BYTES + 1);
    String half = "x".repeat(Limits.PROPERTIES_BYTES / 2);
    Edge edge = Edge.of("a", "is", "b");
    Map<String, ThrowingCallable> bad = new TreeMap<>();
    bad.put("The id of a vertex is empty", () -> graph.addVertex("", NONE));
    bad.put("The id of a vertex has 4097 bytes, 4096 are allowed", () -> graph.vertex(tooLong));
    bad.put("The id of a vertex is no text", () -> graph.degree("\ud800", Selection.out()));
    bad.put("A label is empty", () -> Selection.out(""));
    bad.put("A label has 1025 bytes", () -> Edge.of("a", "l".repeat(1025), "b"));
    bad.put(
        "The properties have more than", () -> graph.addEdge(edge, Map.of("a", half, "b", half)));
    bad.put("The name of a property is empty", () -> graph.addVertex("a", Map.of("", "b")));
    bad.put("A page has 1 to 10000 edges, not 0", () -> graph.edges("a", Selection.out(), 0, null));
    bad.put("No page of this selection", () -> graph.edges("a", Selection.out(), 1, "?"));
    bad.put(
        "A neighbourhood of -1 hops",
        () -> new Traversal(graph, 1).neighbourhood("a", Selection.out(), -1));
    bad.put("A grace of PT-1S", () -> graph.mend(Duration.ofSeconds(-1)));
    bad.forEach(
        (message, call) ->
            assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message));
    graph.load(Map.of(edge, NONE, Edge.of("a", "is", "c"), NONE, Edge.of("a", "calls", "d"), NONE));
    String next = graph.edges("a", Selection.out("is"), 1, null).next();
    assertThatThrownBy(() -> graph.edges("a", Selection.out("calls"), 1, next))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("No page of this selection ended with: " + next);
    assertThat(graph.vertex("a")).isEmpty();
    Map<String, String> large = Map.of("large", "x".repeat(Limits.PROPERTIES_BYTES - 100));
    graph.addEdge(edge, large);
    assertThat(graph.edge(edge)).contains(large);
    String longest = "\0".repeat(Limits.ID_BYTES);
    Edge extreme = Edge.of(longest, "\0".repeat(Limits.LABEL_BYTES), longest);
    graph.addEdge(extreme, NONE);
    assertThat(all(longest, Selection.in(), 5)).containsExactly(extreme);
    assertThat(graph.mend(Duration.ZERO).entries()).isEqualTo(8);
    assertThat(
            graph.edges("a", Selection.both(), 10, null).edges().stream()
                .map(Edge::to)
                .collect(Collectors.toSet()))
        .isEqualTo(Set.of("b", "c", "d"));
  }
}
