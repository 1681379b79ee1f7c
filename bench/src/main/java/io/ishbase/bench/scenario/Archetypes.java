package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Counters;
import io.ishbase.bench.Load;
import io.ishbase.bench.Order;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.archetype.CounterTable;
import io.ishbase.bench.archetype.DocumentTable;
import io.ishbase.bench.archetype.GraphTable;
import io.ishbase.bench.archetype.QueueTable;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code archetypes}: documents, graphs, queues and counters through the libraries, on tables of
 * stock HBase and on tables with what this project adds.
 */
final class Archetypes implements Scenario {
  private static final List<Integer> BANDWIDTHS = List.of(128, 0);
  private static final List<Mode> MODES = List.of(Mode.STOCK, Mode.IN_STORAGE, Mode.AUTO);
  private static final String STOCK = "stock";
  private static final String OURS = "auto";

  /** What the tables of a variant that are written have. */
  private static final Map<String, Map<String, String>> VALUES =
      Map.of(
          STOCK, Map.of("ishbase.read", "stock"),
          OURS, Map.of("ishbase.read", "auto", "ishbase.memstore", "auto"));

  private static final List<String> WRITTEN = List.of(STOCK, OURS);
  private static final long FLUSH_BYTES = 16 << 20;
  private static final long FEW_MESSAGES = 10_000;
  private static final int QUEUE_CLIENTS = 4;
  private static final String HFILE_MB = "HFile MB";
  private static final Histogram NONE = new Histogram(1);

  private static final String DOCUMENT = "document";
  private static final String GRAPH = "graph";
  private static final String QUEUE = "queue";
  private static final List<String> WORKLOADS = List.of(DOCUMENT, GRAPH, QUEUE, "metrics");

  @Override
  public String name() {
    return "archetypes";
  }

  @Override
  public String description() {
    return "Documents, graphs, queues and counters through the libraries that are built on HBase";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public List<String> workloads() {
    return WORKLOADS;
  }

  private static long messages(BenchOptions options) {
    return options.rows() > 0 ? options.rows() : options.preset(200_000L, 1_000_000L);
  }

  private static long increments(BenchOptions options) {
    return options.rows() > 0 ? options.rows() : options.preset(500_000L, 2_000_000L);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int windows = 3 * MODES.size() * BANDWIDTHS.size() * options.roundsOrPreset();
    return 60
        + MODES.size() * options.rowsOrPreset() / 2_500.0
        + options.secondsOf(windows)
        + messages(options) / 6_000.0 * WRITTEN.size() * options.roundsOrPreset()
        + increments(options) / 15_000.0 * WRITTEN.size() * options.roundsOrPreset();
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    List<String> chosen = context.options().workloads();
    try (Admin admin = context.connection().getAdmin()) {
      RegionServerJmx server =
          RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      for (String workload : WORKLOADS) {
        if (chosen.isEmpty() || chosen.contains(workload)) {
          run(workload, context, server);
        }
      }
    }
  }

  private static void run(String workload, ScenarioContext context, RegionServerJmx server)
      throws IOException {
    switch (workload) {
      case DOCUMENT -> documents(context);
      case GRAPH -> graphs(context, server);
      case QUEUE -> queues(context, server);
      default -> counters(context, server);
    }
  }

  private static void documents(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    long documents = DocumentTable.like(options.rowsOrPreset());
    context.results().fact("documents", documents);
    List<Variant> variants = new ArrayList<>();
    for (Mode mode : MODES) {
      DocumentTable table =
          new DocumentTable(context.connection(), "documents_" + mode, documents, options.table());
      table.create(mode.toString());
      variants.add(Variant.of(mode.toString(), table.reads(options.seed())));
    }
    read(
        context,
        "documents, " + DocumentTable.READ + " of " + DocumentTable.PATHS + " paths",
        variants,
        "ratio 15, KB in 0.02 of stock",
        "ratio 1.2");
  }

  private static void graphs(ScenarioContext context, RegionServerJmx server) throws IOException {
    BenchOptions options = context.options();
    long vertices = GraphTable.like(options.rowsOrPreset());
    context.results().fact("vertices", vertices);
    context.results().fact("edges of a vertex", GraphTable.EDGES);
    Map<Mode, GraphTable> tables = new LinkedHashMap<>();
    for (Mode mode : MODES) {
      GraphTable table =
          new GraphTable(context.connection(), "graph_" + mode, vertices, options.table());
      table.create(mode.toString());
      tables.put(mode, table);
    }
    List<Variant> near = new ArrayList<>();
    List<Variant> frontiers = new ArrayList<>();
    tables.forEach(
        (mode, table) -> {
          near.add(variant(mode, table.neighbourhoods(options.seed()), server));
          frontiers.add(variant(mode, table.frontiers(options.seed()), server));
        });
    read(context, "graph, two hops", near, "ratio 15", "ratio 1.3");
    read(
        context,
        "graph, frontier of " + GraphTable.FRONTIER,
        frontiers,
        "storage reads: 1 a node",
        "");
  }

  private static Variant variant(Mode mode, Load load, RegionServerJmx server) {
    return new Variant(mode.toString(), load, server::storageReads);
  }

  private static void read(
      ScenarioContext context,
      String what,
      List<Variant> variants,
      String cappedTarget,
      String uncappedTarget)
      throws IOException {
    Alternation alternation = context.alternation(context.driver());
    context.warmUp(what, alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      Point point =
          Point.uncapped()
              .with("load", what)
              .at(mbps)
              .target(mbps == 128 ? cappedTarget : mbps == 0 ? uncappedTarget : "");
      Map<String, Plots.Figure> further = new LinkedHashMap<>();
      further.put("KB in each", (c, v) -> c.median(v, Archetypes::inEach));
      if (!variants.get(0).counters().equals(Counters.NONE)) {
        further.put("storage reads each", Archetypes::readsEach);
      }
      comparisons.add(context.measure(alternation, point, variants, further));
    }
    context
        .results()
        .plot(
            Plots.bars(what, "operations/s", c -> c.point().cap(), Plots.PER_SECOND, comparisons));
  }

  private static double inEach(Sample sample) {
    return sample.network().in() / 1000.0 / sample.operations();
  }

  private static double readsEach(Comparison comparison, String variant) {
    Sample all = comparison.all(variant);
    return all.counters().get("storage reads") / all.operations();
  }

  /** The first messages of a fresh queue, then many, then as many as at first again. */
  private static void queues(ScenarioContext context, RegionServerJmx server) throws IOException {
    long messages = messages(context.options());
    context.results().fact("messages", messages);
    Map<String, QueueTable> tables = new LinkedHashMap<>();
    for (String variant : WRITTEN) {
      QueueTable table = new QueueTable(context.connection(), "queue_" + variant);
      table.create(VALUES.get(variant), FLUSH_BYTES);
      tables.put(variant, table);
      pass(context, server, variant, table, messages / 4, "warming up, ");
    }
    Comparison first = comparison("the first", FEW_MESSAGES, "");
    Comparison through = comparison("passed through", messages, "");
    Comparison last = comparison("after these", FEW_MESSAGES, "dequeue p99 1.2 of the first");
    for (int round = 0; round < context.options().roundsOrPreset(); round++) {
      for (Map.Entry<String, QueueTable> fresh : tables.entrySet()) {
        fresh.getValue().create(VALUES.get(fresh.getKey()), FLUSH_BYTES);
      }
      passed(context, server, tables, first, FEW_MESSAGES, round);
      passed(context, server, tables, through, messages, round);
      passed(context, server, tables, last, FEW_MESSAGES, round);
    }
    for (Comparison each : List.of(first, through, last)) {
      report(context, each);
    }
  }

  private static Comparison comparison(String which, long messages, String target) {
    Point point =
        Point.uncapped()
            .with("load", "queue, messages " + which)
            .with("messages", messages)
            .target(target);
    return new Comparison(point, WRITTEN);
  }

  private static void passed(
      ScenarioContext context,
      RegionServerJmx server,
      Map<String, QueueTable> tables,
      Comparison comparison,
      long messages,
      int round)
      throws IOException {
    Map<String, Sample> samples = new LinkedHashMap<>();
    for (String variant : Order.ofRound(round, WRITTEN)) {
      samples.put(
          variant,
          pass(context, server, variant, tables.get(variant), messages, comparison.point() + ", "));
    }
    comparison.addRound(samples);
  }

  private static void report(ScenarioContext context, Comparison comparison) {
    Map<String, Plots.Figure> further = new LinkedHashMap<>();
    further.put("messages/s", (c, v) -> c.median(v, s -> s.written().rows() / s.seconds()));
    for (String kind : List.of(QueueTable.APPEND, QueueTable.DEQUEUE)) {
      further.put(kind + " p50 ms", (c, v) -> millisAt(c, v, kind, 50));
      further.put(kind + " p99 ms", (c, v) -> millisAt(c, v, kind, 99));
    }
    further.put("HFiles/written", (c, v) -> filesPerByte(c.all(v)));
    comparison.addTo(context.results(), further);
  }

  private static Sample pass(
      ScenarioContext context,
      RegionServerJmx server,
      String variant,
      QueueTable table,
      long messages,
      String words)
      throws IOException {
    return window(
        context,
        server,
        new Variant(variant, table.passes(), Counters.NONE),
        QUEUE_CLIENTS,
        QueueTable.operations(messages),
        words,
        () -> Tables.flush(context.connection(), table.name()));
  }

  /** Each window has a table of its own, which is flushed at its end. */
  private static void counters(ScenarioContext context, RegionServerJmx server) throws IOException {
    BenchOptions options = context.options();
    long operations = Math.max(1, increments(options) / CounterTable.BATCH);
    context.results().fact("counters", CounterTable.COUNTERS);
    Point point =
        Point.uncapped()
            .with("load", "increments of " + CounterTable.COUNTERS + " counters")
            .target("ratio 1.0, HFile bytes 0.2 of stock");
    Comparison comparison = new Comparison(point, WRITTEN);
    CounterTable table = new CounterTable(context.connection(), "counters");
    for (int round = -1; round < options.roundsOrPreset(); round++) {
      Map<String, Sample> samples = new LinkedHashMap<>();
      for (String variant : Order.ofRound(Math.abs(round), WRITTEN)) {
        table.create(VALUES.get(variant), FLUSH_BYTES);
        Load load = table.increments(options.seed());
        samples.put(
            variant,
            window(
                context,
                server,
                Variant.of(variant, load),
                options.threadsOrPreset(),
                operations,
                (round < 0 ? "warming up, " : "") + point + ", ",
                () -> {
                  table.check(operations * CounterTable.BATCH);
                  Tables.flush(context.connection(), table.name());
                }));
      }
      if (round >= 0) {
        comparison.addRound(samples);
      }
    }
    Map<String, Plots.Figure> further = new LinkedHashMap<>();
    further.put("increments/s", (c, v) -> c.median(v, Sample::rowsPerSecond));
    further.put(
        "HFile bytes/increment",
        (c, v) ->
            c.median(v, s -> 1e6 * s.counters().get(HFILE_MB) / Math.max(1, s.written().rows())));
    comparison.addTo(context.results(), further);
  }

  private interface Ending {
    void end() throws IOException;
  }

  /** So many operations, and all that they cause in HFiles. */
  private static Sample window(
      ScenarioContext context,
      RegionServerJmx server,
      Variant variant,
      int clients,
      long operations,
      String words,
      Ending ending)
      throws IOException {
    try (Progress progress = new Progress(words + variant.name(), 0)) {
      double before = hfileMegabytes(server);
      Sample sample =
          context.driver(clients).run(variant, Duration.ZERO, Span.ofOperations(operations));
      ending.end();
      Map<String, Double> counters = new TreeMap<>(sample.counters());
      counters.put(HFILE_MB, Math.max(0, hfileMegabytes(server) - before));
      progress.done("");
      return new Sample(
          sample.seconds(),
          sample.latency(),
          sample.byKind(),
          sample.read(),
          sample.written(),
          sample.network(),
          counters);
    }
  }

  private static double hfileMegabytes(RegionServerJmx server) throws IOException {
    Map<String, Double> writes = Settled.of(server::writes);
    return (writes.get("flushed bytes") + writes.get("compacted bytes")) / 1e6;
  }

  private static double filesPerByte(Sample sample) {
    return 1e6 * sample.counters().get(HFILE_MB) / Math.max(1, sample.written().cellBytes());
  }

  private static double millisAt(
      Comparison comparison, String variant, String kind, double percent) {
    return comparison.all(variant).byKind().getOrDefault(kind, NONE).getValueAtPercentile(percent)
        / 1e6;
  }
}
