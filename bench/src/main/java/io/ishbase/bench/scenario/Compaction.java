package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Load;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Order;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.AroundCompaction.Times;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code compaction}: what a major compaction does to reads, by who carries it out and how the
 * block cache is kept warm. The table fits into the block cache, and into the segment cache.
 */
final class Compaction implements Scenario {
  private static final List<Integer> SMALL = List.of(128);
  private static final List<Integer> FULL = List.of(128, 512);
  private static final int SCAN_ROWS = 100;
  private static final String DISTRIBUTION = "zipfian";
  private static final String SEED =
      "000: throttled, Gets 7 % during, 9 % in the warm-up; scans 20 and 4 %";

  /** What is compared. */
  private record Way(String name, Mode reads, CompactionMode compactions, String target) {
    private static Way stock(String name, CompactionMode compactions) {
      return new Way(name, Mode.STOCK, compactions, "");
    }
  }

  private static final List<Way> WAYS =
      List.of(
          Way.stock("standard", CompactionMode.STOCK),
          Way.stock("write-through", CompactionMode.WRITE_THROUGH),
          Way.stock("offload", CompactionMode.OFFLOAD),
          Way.stock("remote", CompactionMode.REMOTE),
          Way.stock("pre-switch", CompactionMode.PRE_SWITCH),
          Way.stock("incremental", CompactionMode.INCREMENTAL),
          new Way(
              "throttled",
              Mode.STOCK,
              CompactionMode.THROTTLED,
              "Gets 5 % during, 5 % warm-up; scans 10 and 4 %"),
          new Way(
              "in-storage, offload",
              Mode.IN_STORAGE,
              CompactionMode.OFFLOAD,
              "Gets 3 % during, 1 % warm-up; scans 5 and 1 %"));

  private static String id(Way way) {
    return way.name.replaceFirst(",.*", "");
  }

  private static List<Way> ways(BenchOptions options) {
    return options.workloads().isEmpty()
        ? WAYS
        : WAYS.stream().filter(way -> options.workloads().contains(id(way))).toList();
  }

  /** A kind of read. */
  private record Reads(String name, Function<Mode, Load> load) {}

  @Override
  public String name() {
    return "compaction";
  }

  @Override
  public String description() {
    return "Reads before, during and after a major compaction";
  }

  @Override
  public String seedFigures() {
    return "000 fig. 3 to 7";
  }

  @Override
  public List<String> workloads() {
    return WAYS.stream().map(Compaction::id).toList();
  }

  private static long rows(BenchOptions options) {
    return options
        .table()
        .rowsLike(options.rows() > 0 ? options.rows() : options.preset(40_000L, 500_000L));
  }

  private static int rounds(BenchOptions options) {
    return options.rounds() > 0 ? options.rounds() : options.preset(2, 4);
  }

  private static Times times(BenchOptions options) {
    if (options.seconds() > 0) {
      Duration window = Duration.ofMillis(Math.round(1000 * options.seconds()));
      return new Times(window.multipliedBy(2), window, 3, 6, 2);
    }
    return options.preset(
        new Times(Duration.ofSeconds(1), Duration.ofSeconds(1), 5, 8, 2),
        new Times(Duration.ofSeconds(15), Duration.ofSeconds(5), 6, 24, 3));
  }

  private static NumberedTable.Shape shape(BenchOptions options) {
    return NumberedTable.Shape.usual("compacted", rows(options)).in(options.table());
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.holding(shape(options).bytes()).withSegmentCaches().withRemoteCaches();
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double runs = 2 * ways(options).size() * rounds(options) * bandwidths(options).size();
    double readingAll = rows(options) / 60_000.0;
    double bytes = shape(options).bytes();
    return rows(options) / 8000.0
        + AroundCompaction.warmUpSeconds(1, bytes / 1e6)
        + 2 * (options.firstWarmUp().toSeconds() + options.warmUp().toSeconds())
        + runs * (readingAll + times(options).seconds(bytes / 8e6));
  }

  private static List<Integer> bandwidths(BenchOptions options) {
    return options.bandwidths().isEmpty() ? options.preset(SMALL, FULL) : options.bandwidths();
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    NumberedTable table = new NumberedTable(context.connection(), shape(options));
    table.create();
    table.fill();
    context.results().fact("rows", rows(options));
    context
        .results()
        .note(
            "Reads of the first seven go through the block cache, of the last through the segment"
                + " cache, which is as large. standard, write-through: the region server compacts;"
                + " the others: a storage daemon. The whole table is read before each run.");
    List<Reads> reads =
        List.of(
            new Reads("Gets", mode -> table.gets(mode, DISTRIBUTION, options.seed())),
            new Reads(
                "scans of " + SCAN_ROWS,
                mode ->
                    table.scans(
                        mode,
                        SCAN_ROWS,
                        NumberedTable.Returned.ALL,
                        DISTRIBUTION,
                        options.seed())));
    List<Integer> bandwidths = context.bandwidths(SMALL, FULL);
    if (bandwidths.isEmpty()) {
      bandwidths = List.of(0);
    }
    LoadDriver driver = context.driver();
    AroundCompaction around = new AroundCompaction(context.connection(), driver, times(options));
    around.warmUp(List.of(table.name()), shape(options).bytes() / 1e6);
    for (Reads each : reads) {
      // One of each way of reading: JVMs are warm then, and caches are filled before each run.
      context.warmUp(each.name, context.alternation(driver), Variant.modes(Mode.PLAIN, each.load));
      for (int mbps : bandwidths) {
        compare(context, around, table, each, mbps);
      }
    }
  }

  /** All rounds of one kind of read under one cap. */
  private static void compare(
      ScenarioContext context, AroundCompaction around, NumberedTable table, Reads reads, int mbps)
      throws IOException {
    String cap = mbps == 0 ? "uncapped" : mbps + " Mbps";
    Map<String, List<Timeline>> timelines = new LinkedHashMap<>();
    List<Way> ways = ways(context.options());
    ways.forEach(way -> timelines.put(way.name, new ArrayList<>()));
    for (int round = 0; round < rounds(context.options()); round++) {
      for (Way way : Order.ofRound(round, ways)) {
        way.compactions.switchOver(context.connection(), table.name());
        table.readAll(way.reads);
        context.rig().capMbps(mbps);
        try {
          timelines
              .get(way.name)
              .add(
                  around.run(
                      reads.name + ", " + cap + ", " + way.name,
                      Variant.of(way.name, reads.load.apply(way.reads)),
                      table.name()));
        } finally {
          context.rig().capMbps(0);
        }
      }
    }
    TimelineReport.add(
        context.results(),
        Map.of("reads", reads.name, "cap", cap),
        timelines,
        Timeline::figures,
        "ops/s",
        ways.stream().collect(Collectors.toMap(Way::name, Way::target)),
        SEED);
    context
        .results()
        .plot(
            TimelineReport.plot(
                "Mean latency of " + reads.name + " around a compaction, " + cap,
                timelines,
                Sample::meanMillis));
  }
}
