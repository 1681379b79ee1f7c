package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.ClusterNeeds;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Progress;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Row;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.ServerName;

/**
 * {@code scale}: Gets and a major compaction by the number of region servers that share a table.
 * All servers run all the time; the table's regions are spread over the first of them.
 */
final class Scale implements Scenario {
  private static final String SERVERS = "region servers";

  /** Divisible by every number of servers up to four. */
  private static final int REGIONS = 12;

  private static final int SMALL_SERVERS = 3;
  private static final int FULL_SERVERS = 4;

  /** Memory of a region server with what belongs to it. */
  private static final long SERVER_BYTES = 3L << 30;

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public String description() {
    return "Gets and a compaction by the number of region servers";
  }

  @Override
  public String seedFigures() {
    return "000 fig. 9";
  }

  private static long rows(BenchOptions options) {
    return options.rows() > 0 ? options.rows() : options.preset(60_000L, 1_200_000L);
  }

  private static int mbps(BenchOptions options) {
    return options.bandwidths().isEmpty() ? 64 : options.bandwidths().get(0);
  }

  /** As many as are wanted and the machine's memory holds; at least one. */
  private static int servers(BenchOptions options) {
    long memory =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getTotalMemorySize();
    int wanted = options.preset(SMALL_SERVERS, FULL_SERVERS);
    return (int) Math.max(1, Math.min(wanted, memory / SERVER_BYTES));
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.caching(ClusterNeeds.usualCacheBytes(rows(options)))
        .withRegionServers(servers(options));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int steps = servers(options);
    return 20
        + rows(options) / 8000.0
        + 2 * options.firstWarmUp().toSeconds()
        + steps * (5 + 2 * options.warmUp().toSeconds())
        + options.secondsOf(2 * steps * options.roundsOrPreset())
        // A compaction of the table by one server, by two …: 1 + 1/2 + 1/3 + 1/4 is about 2.
        + 2.0
            * options.roundsOrPreset()
            * rows(options)
            * 8300
            / (1e6 * Math.max(1, mbps(options)));
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    NumberedTable table =
        new NumberedTable(
            context.connection(),
            NumberedTable.Shape.usual("scaled", rows(options)).withRegions(REGIONS));
    context.results().fact("rows", rows(options));
    context.results().fact("regions", REGIONS);
    context
        .results()
        .note(
            context.rig().canCap()
                ? "Each region server has a node, and the capped bandwidth, of its own. The machine's"
                    + " processors are shared by all."
                : "All servers share one interface and the machine's processors.");
    context
        .results()
        .note(
            "Client threads grow with the region servers. There are no compaction servers yet: the"
                + " region servers compact.");
    int mbps = context.rig().canCap() ? mbps(options) : 0;
    try (Placement placement = new Placement(context.connection())) {
      List<ServerName> all = new ArrayList<>();
      for (String address : context.cluster().regionServers()) {
        all.add(placement.server(address));
      }
      table.create();
      placement.place(table.name(), all);
      table.fill();
      List<Variant> variants =
          Variant.modes(options.modes(), mode -> table.gets(mode, "uniform", options.seed()));
      List<Comparison> comparisons = new ArrayList<>();
      Map<Double, Double> compactions = new TreeMap<>();
      for (int count = 1; count <= all.size(); count++) {
        placement.place(table.name(), all.subList(0, count));
        Alternation alternation =
            context.alternation(context.driver(count * options.threadsOrPreset()));
        context.warmUp(count + " region servers", alternation, variants);
        Point point =
            Point.uncapped()
                .at(mbps)
                .links(count)
                .with(SERVERS, count)
                .seed(count == 1 ? "5 and 10 region servers, reads around compactions" : "");
        comparisons.add(context.measure(alternation, point, variants));
        compactions.put((double) count, compact(context, table, count, mbps));
      }
      plot(context, comparisons, compactions, mbps);
    }
  }

  /** Median of the seconds of major compactions of the whole table. */
  private static double compact(ScenarioContext context, NumberedTable table, int servers, int mbps)
      throws IOException {
    List<Double> seconds = new ArrayList<>();
    context.rig().capMbps(mbps);
    try (Progress progress =
        new Progress(
            "compactions, " + servers + " region servers", context.options().roundsOrPreset())) {
      for (int round = 0; round < context.options().roundsOrPreset(); round++) {
        try (MajorCompaction compaction =
            MajorCompaction.start(context.connection(), table.name())) {
          compaction.await();
          seconds.add(compaction.seconds());
          progress.add(1);
        }
      }
      progress.done(String.format(Locale.ROOT, "%.1f s", Medians.of(seconds)));
    } finally {
      context.rig().capMbps(0);
    }
    context
        .results()
        .add(
            Map.of("region_servers", servers, "compaction_seconds", seconds),
            List.of(
                new Row(
                    Map.of(SERVERS, "" + servers, "cap", Point.uncapped().at(mbps).cap()),
                    "compaction by region servers",
                    Map.of(
                        "compaction s",
                        Medians.of(seconds),
                        "spread %",
                        100 * Medians.spread(seconds)),
                    "",
                    "",
                    "")));
    return Medians.of(seconds);
  }

  private static void plot(
      ScenarioContext context,
      List<Comparison> comparisons,
      Map<Double, Double> compactions,
      int mbps) {
    String cap = mbps == 0 ? "uncapped" : mbps + " Mbps each";
    context
        .results()
        .plot(
            Plots.byParameter(
                "Gets a second, " + cap,
                SERVERS,
                SERVERS,
                "Gets/s",
                Plots.PER_SECOND,
                comparisons));
    context
        .results()
        .plot(
            Plot.lines(
                "A major compaction of the table, " + cap,
                SERVERS,
                "seconds",
                List.of(Plot.Series.of("by region servers", compactions))));
  }
}
