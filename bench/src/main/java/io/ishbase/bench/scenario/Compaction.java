package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.ClusterNeeds;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Load;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Mode;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.AroundCompaction.Timeline;
import io.ishbase.bench.scenario.AroundCompaction.Times;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code compaction}: what a major compaction does to reads, carried out by the region server or by
 * a storage daemon. The table fits into the block caches.
 */
final class Compaction implements Scenario {
  private static final List<Integer> SMALL = List.of(128);
  private static final List<Integer> FULL = List.of(128, 512, 0);
  private static final int SCAN_ROWS = 100;
  private static final String DISTRIBUTION = "zipfian";

  /** What is compared. */
  private record Way(String name, Mode reads, CompactionMode compactions) {}

  private static final List<Way> WAYS =
      List.of(
          new Way("stock", Mode.STOCK, CompactionMode.STOCK),
          new Way("in-storage", Mode.IN_STORAGE, CompactionMode.STOCK),
          new Way("offload", Mode.STOCK, CompactionMode.OFFLOAD),
          new Way("in-storage, offload", Mode.IN_STORAGE, CompactionMode.OFFLOAD));

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
    return "000 fig. 3 to 7; 003 fig. 31 to 33";
  }

  private static long rows(BenchOptions options) {
    return options.rows() > 0 ? options.rows() : options.preset(80_000L, 500_000L);
  }

  private static int rounds(BenchOptions options) {
    return options.rounds() > 0 ? options.rounds() : options.preset(1, 3);
  }

  private static Times times(BenchOptions options) {
    if (options.seconds() > 0) {
      Duration window = Duration.ofMillis(Math.round(1000 * options.seconds()));
      return new Times(window.multipliedBy(2), window, 3, 6, 2);
    }
    return options.preset(
        new Times(Duration.ofSeconds(5), Duration.ofSeconds(1), 6, 12, 3),
        new Times(Duration.ofSeconds(60), Duration.ofSeconds(5), 12, 60, 6));
  }

  private static NumberedTable.Shape shape(BenchOptions options) {
    return NumberedTable.Shape.usual("compacted", rows(options));
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.holding(shape(options).bytes());
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double runs = 2 * WAYS.size() * rounds(options) * bandwidths(options).size();
    return rows(options) / 8000.0 + runs * times(options).seconds(shape(options).bytes() / 1e7);
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
            "offload: a storage daemon compacts; in-storage: reads go there. Else as stock does.");
    List<Reads> reads =
        List.of(
            new Reads("Gets", mode -> table.gets(mode, DISTRIBUTION, options.seed())),
            new Reads(
                "scans of " + SCAN_ROWS,
                mode -> table.scans(mode, SCAN_ROWS, false, DISTRIBUTION, options.seed())));
    List<Integer> bandwidths = context.bandwidths(SMALL, FULL);
    if (bandwidths.isEmpty()) {
      bandwidths = List.of(0);
    }
    LoadDriver driver = context.driver();
    AroundCompaction around = new AroundCompaction(context.connection(), driver, times(options));
    for (Reads each : reads) {
      Map<Way, Variant> variants = new LinkedHashMap<>();
      WAYS.forEach(way -> variants.put(way, Variant.of(way.name, each.load.apply(way.reads))));
      context.warmUp(each.name, context.alternation(driver), List.copyOf(variants.values()));
      for (int mbps : bandwidths) {
        compare(context, around, table, each.name, variants, mbps);
      }
    }
  }

  /** All rounds of one kind of read under one cap. */
  private static void compare(
      ScenarioContext context,
      AroundCompaction around,
      NumberedTable table,
      String reads,
      Map<Way, Variant> variants,
      int mbps)
      throws IOException {
    String cap = mbps == 0 ? "uncapped" : mbps + " Mbps";
    Map<String, List<Timeline>> timelines = new LinkedHashMap<>();
    context.rig().capMbps(mbps);
    try {
      for (int round = 0; round < rounds(context.options()); round++) {
        for (Map.Entry<Way, Variant> entry : variants.entrySet()) {
          Variant variant = entry.getValue();
          entry.getKey().compactions.switchOver(context.connection(), table.name());
          timelines
              .computeIfAbsent(variant.name(), name -> new ArrayList<>())
              .add(around.run(reads + ", " + cap + ", " + variant.name(), variant, table.name()));
        }
      }
    } finally {
      context.rig().capMbps(0);
    }
    TimelineReport.add(
        context.results(),
        Map.of("reads", reads, "cap", cap),
        timelines,
        Timeline::figures,
        "ops/s",
        "000: a compaction of minutes, then minutes of warm-up, both slow reads noticeably");
    context
        .results()
        .plot(
            TimelineReport.plot(
                "Mean latency of " + reads + " around a compaction, " + cap,
                timelines,
                Sample::meanMillis));
  }
}
