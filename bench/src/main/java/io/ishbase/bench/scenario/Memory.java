package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Moved;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.LoadsInTurn.Turn;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * {@code memory}: one sum of memory for memstores, block cache and segment cache, divided in fixed
 * ways, and by {@code ishbase.memory} = {@code auto}, which begins with equal parts. Each has a
 * region server of its own in the same cluster, and a table of its own with the same rows, kept at
 * that server.
 */
final class Memory implements Scenario {
  /** The sum, as a part of the table's bytes. */
  private static final double SHARE = 0.5;

  private static final int SCAN_ROWS = 100;
  private static final String EVEN = "even";
  private static final String AUTO = "auto";

  /** Windows of the usual length for which a load runs before it is measured: auto moves slowly. */
  private static final int ADAPTING = 10;

  private static final int MEASURED = 4;

  /** The same for the turn of a load where all have one. */
  private static final int TURN = ADAPTING + MEASURED;

  private static final String FLUSHED = "flushed bytes";
  private static final String COMPACTED = "compacted bytes";

  /** The parts of the sum, in per cent. */
  private record Split(String name, int memstores, int blockCache) {
    ClusterNeeds.RegionServer server(long sum) {
      ClusterNeeds.RegionServer caching = ClusterNeeds.RegionServer.caching(sum * blockCache / 100);
      long heap = (long) caching.heapMb() << 20;
      ClusterNeeds.RegionServer server =
          caching
              .with("hbase.regionserver.global.memstore.size", sum * (memstores / 100.0) / heap)
              .with("ishbase.cache.bytes", sum * (100 - memstores - blockCache) / 100);
      return name.equals(AUTO) ? server.with("ishbase.memory", AUTO) : server;
    }
  }

  private static final List<Split> SPLITS =
      List.of(
          new Split(EVEN, 34, 33),
          new Split("memstores", 80, 10),
          new Split("block cache", 10, 80),
          new Split("segment cache", 10, 10),
          new Split(AUTO, 34, 33));

  /** A division of memory, and the table at the region server that has it. */
  private record Place(Split split, NumberedTable table, RegionServerJmx server) {
    Variant variant(Load load) {
      return new Variant(split.name, load, () -> counters(server));
    }
  }

  /** What clients do. */
  private record Workload(String name, Function<Place, Load> load) {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String description() {
    return "One sum of memory in fixed parts, and in parts that ishbase.memory = auto moves";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  private static NumberedTable.Shape shape(String split, BenchOptions options) {
    long rows = options.rows() > 0 ? options.rows() : options.preset(100_000L, 500_000L);
    return NumberedTable.Shape.usual(
            "divided_" + split.replace(' ', '_'), options.table().rowsLike(rows))
        .in(options.table());
  }

  private static long sumBytes(BenchOptions options) {
    return (long) (SHARE * shape("", options).bytes());
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    long sum = sumBytes(options);
    return ClusterNeeds.usual(shape("", options).rows())
        .withRegionServers(SPLITS.stream().map(split -> split.server(sum)).toList());
  }

  private static Duration windows(BenchOptions options, int count) {
    return options.window().multipliedBy(count);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int workloads = 3;
    // Each alone, and once more all of them in turn.
    long windows = 2L * workloads * TURN * SPLITS.size() * options.roundsOrPreset();
    return 20
        + SPLITS.size() * shape("", options).rows() / 8000.0
        + windows * options.window().toMillis() / 1000.0;
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("bytes of memory of each", sumBytes(options));
    context.results().fact("rows of each table", shape("", options).rows());
    context
        .results()
        .note(
            "Reads take the route that ishbase.read = auto chooses. A window of one load begins "
                + windows(options, ADAPTING).toSeconds()
                + " s before it is measured. In turn, each load has as many operations as the even"
                + " split does in "
                + windows(options, TURN).toSeconds()
                + " s, and all of the time counts.");
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      List<Place> places = new ArrayList<>();
      for (Split split : SPLITS) {
        places.add(load(context, placement, admin, split, places.size()));
      }
      measure(context, admin, places);
    }
  }

  private static Place load(
      ScenarioContext context, Placement placement, Admin admin, Split split, int number)
      throws IOException {
    NumberedTable table =
        new NumberedTable(context.connection(), shape(split.name, context.options()));
    table.create();
    ServerName server = placement.server(context.cluster().regionServers().get(number));
    placement.place(table.name(), List.of(server));
    table.fill();
    return new Place(split, table, RegionServerJmx.of(admin, server));
  }

  private static List<Workload> workloads(ScenarioContext context) {
    long seed = context.options().seed();
    return List.of(
        new Workload("writes", place -> puts(context, place.table, seed)),
        new Workload("Zipfian Gets", place -> place.table.gets(Mode.AUTO, "zipfian", seed)),
        new Workload(
            "scans of " + SCAN_ROWS,
            place ->
                place.table.scans(
                    Mode.AUTO, SCAN_ROWS, NumberedTable.Returned.ALL, "uniform", seed)));
  }

  /** Rows are written anew, each as often. */
  private static Load puts(ScenarioContext context, NumberedTable table, long seed) {
    IntFunction<LongSupplier> draws = Keys.uniform(table.shape().rows()).ongoingDraws(seed);
    return worker -> {
      Table open = context.connection().getTable(table.name());
      LongSupplier rows = draws.apply(worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          Put put = table.put(rows.getAsLong());
          open.put(put);
          tally.wrote(Moved.of(put));
        }

        @Override
        public void close() throws IOException {
          open.close();
        }
      };
    };
  }

  /** Gives all tables one file each: how many writes have left says nothing of memory. */
  private static void compact(ScenarioContext context, Admin admin, List<Place> places)
      throws IOException {
    for (Place place : places) {
      admin.flush(place.table.name());
      MajorCompaction.run(context.connection(), place.table.name());
    }
  }

  private static void measure(ScenarioContext context, Admin admin, List<Place> places)
      throws IOException {
    BenchOptions options = context.options();
    Alternation usual = context.alternation(context.driver());
    Alternation adapted =
        usual
            .withLeadIn(windows(options, ADAPTING))
            .withWindow(Span.of(windows(options, MEASURED)));
    List<Workload> workloads = workloads(context);
    List<Comparison> comparisons = new ArrayList<>();
    List<Long> operations = new ArrayList<>();
    for (Workload workload : workloads) {
      compact(context, admin, places);
      List<Variant> variants =
          places.stream().map(place -> place.variant(workload.load.apply(place))).toList();
      Comparison comparison = measure(context, adapted, workload.name, variants, 0.97);
      comparisons.add(comparison);
      double seconds = windows(options, TURN).toMillis() / 1000.0;
      operations.add(Math.max(1, (long) (seconds * comparison.median(EVEN, Sample::perSecond))));
    }
    compact(context, admin, places);
    List<Variant> variants = new ArrayList<>();
    long all = 0;
    for (Place place : places) {
      List<Turn> turns = new ArrayList<>();
      for (int i = 0; i < workloads.size(); i++) {
        turns.add(new Turn(workloads.get(i).load.apply(place), operations.get(i)));
      }
      LoadsInTurn load = new LoadsInTurn(turns);
      all = load.operations();
      variants.add(place.variant(load));
    }
    Alternation inTurn = usual.withLeadIn(Duration.ZERO).withWindow(Span.ofOperations(all));
    comparisons.add(measure(context, inTurn, "in turn", variants, 1.1));
    context
        .results()
        .plot(
            Plots.bars(
                "Operations a second beside the best fixed split",
                "times that of the best",
                comparison -> comparison.point().parameters().get("load").toString(),
                Memory::toTheBest,
                comparisons));
  }

  private static Comparison measure(
      ScenarioContext context,
      Alternation alternation,
      String load,
      List<Variant> variants,
      double target)
      throws IOException {
    Point point = Point.uncapped().with("load", load).target("auto: to the best fixed ≥ " + target);
    Map<String, Plots.Figure> further = new LinkedHashMap<>();
    further.put("to the best fixed", Memory::toTheBest);
    further.put("storage reads/op", Caches::storageReads);
    if (!load.startsWith("scans") && !load.endsWith("Gets")) {
      further.put("HFiles/written", (c, variant) -> c.median(variant, Memory::amplification));
    }
    return context.measure(alternation, point, variants, further);
  }

  private static Map<String, Double> counters(RegionServerJmx server) throws IOException {
    Map<String, Double> all = new LinkedHashMap<>(server.storageReads());
    all.putAll(server.writes());
    return all;
  }

  /** Bytes of HFiles for each byte of cells that clients wrote; 0 if they wrote none. */
  private static double amplification(Sample sample) {
    long written = sample.written().cellBytes();
    return written == 0
        ? 0
        : (sample.counters().get(FLUSHED) + sample.counters().get(COMPACTED)) / written;
  }

  /** Throughput divided by that of the fastest fixed split. */
  private static double toTheBest(Comparison comparison, String variant) {
    double best =
        comparison.variants().stream()
            .filter(one -> !one.equals(AUTO))
            .mapToDouble(one -> comparison.median(one, Sample::perSecond))
            .max()
            .orElseThrow();
    return comparison.median(variant, Sample::perSecond) / best;
  }
}
