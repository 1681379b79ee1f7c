package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Row;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Progress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.ServerName;

/**
 * {@code scale}: Gets and a major compaction by the number of region servers that share a table,
 * and a major compaction by the number of compaction servers beside all of them. All region servers
 * run all the time; the table's regions are spread over the first of them.
 */
final class Scale implements Scenario {
  private static final String SERVERS = "region servers";

  /** Divisible by every number of servers up to four. */
  private static final int REGIONS = 12;

  private static final int SMALL_SERVERS = 3;
  private static final int FULL_SERVERS = 4;

  private static final int SMALL_COMPACTION_SERVERS = 2;
  private static final int FULL_COMPACTION_SERVERS = 3;

  /** Memory of a region server with what belongs to it. */
  private static final long SERVER_BYTES = 3L << 30;

  private static final long COMPACTION_SERVER_BYTES = 1L << 30;

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
    return options
        .table()
        .rowsLike(options.rows() > 0 ? options.rows() : options.preset(60_000L, 1_200_000L));
  }

  private static int mbps(BenchOptions options) {
    return options.bandwidths().isEmpty() ? 64 : options.bandwidths().get(0);
  }

  private static long memory() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  /** As many as are wanted and the machine's memory holds; at least one. */
  private static int servers(BenchOptions options) {
    int wanted = options.preset(SMALL_SERVERS, FULL_SERVERS);
    return (int) Math.max(1, Math.min(wanted, memory() / SERVER_BYTES));
  }

  /** As many as are wanted and the memory that is left holds. */
  private static int compactionServers(BenchOptions options) {
    int wanted = options.preset(SMALL_COMPACTION_SERVERS, FULL_COMPACTION_SERVERS);
    long left = memory() - servers(options) * SERVER_BYTES;
    return (int) Math.max(0, Math.min(wanted, left / COMPACTION_SERVER_BYTES));
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.caching(ClusterNeeds.usualCacheBytes(rows(options)))
        .withRegionServers(servers(options))
        .withDaemons(
            ClusterNeeds.Daemon.caching(ClusterNeeds.usualCacheBytes(rows(options)))
                // Else the daemons beside the files would be the better workers.
                .with("ishbase.issn.compactions", 0))
        .withCompactionServers(compactionServers(options));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int steps = servers(options);
    return 20
        + rows(options) / 8000.0
        + 2 * options.firstWarmUp().toSeconds()
        + steps * (5 + 2 * options.warmUp().toSeconds())
        + options.secondsOf(2 * steps * options.roundsOrPreset())
        + 3 * compactionServers(options)
        // A compaction of the table by one server, by two …: 1 + 1/2 + 1/3 + 1/4 is about 2.
        + 4.0
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
            NumberedTable.Shape.usual("scaled", rows(options))
                .withRegions(REGIONS)
                .in(options.table()));
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
            "Client threads grow with the region servers. Compaction servers are daemons on nodes of"
                + " their own, without DataNode, that read and write over the network; the daemons"
                + " beside the DataNodes do not compact here.");
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
        compactions.put((double) count, compact(context, table, count, 0, mbps));
      }
      Map<Double, Double> offloaded = new TreeMap<>();
      CompactionMode.OFFLOAD.switchOver(context.connection(), table.name());
      for (int count = 1; count <= compactionServers(options); count++) {
        context.cluster().startCompactionServer();
        offloaded.put((double) count, compact(context, table, all.size(), count, mbps));
      }
      plot(context, comparisons, compactions, offloaded, mbps);
    }
  }

  /** Median of the seconds of major compactions of the whole table. */
  private static double compact(
      ScenarioContext context, NumberedTable table, int servers, int compactionServers, int mbps)
      throws IOException {
    String by =
        compactionServers == 0 ? "region servers" : compactionServers + " compaction servers";
    List<Double> seconds = new ArrayList<>();
    Offloads offloads = new Offloads(context.connection());
    context.rig().capMbps(mbps);
    try (Progress progress =
        new Progress(
            "compactions, " + servers + " region servers, by " + by,
            context.options().roundsOrPreset())) {
      for (int round = 0; round < context.options().roundsOrPreset(); round++) {
        seconds.add(MajorCompaction.run(context.connection(), table.name()));
        progress.add(1);
      }
      progress.done(String.format(Locale.ROOT, "%.1f s", Medians.of(seconds)));
    } finally {
      context.rig().capMbps(0);
    }
    int expected = compactionServers == 0 ? 0 : REGIONS * seconds.size();
    long offloaded = Math.round(offloads.look(expected).compactions());
    context
        .results()
        .add(
            Map.of(
                "offloaded",
                offloaded,
                "region_servers",
                servers,
                "compaction_servers",
                compactionServers,
                "compaction_seconds",
                seconds),
            List.of(
                new Row(
                    Map.of(SERVERS, "" + servers, "cap", Point.uncapped().at(mbps).cap()),
                    "compaction by " + by,
                    Map.of(
                        "compaction s",
                        Medians.of(seconds),
                        "least s",
                        Collections.min(seconds),
                        "most s",
                        Collections.max(seconds)),
                    "",
                    offloaded == expected
                        ? ""
                        : offloaded + " of " + expected + " compactions were offloaded")));
    return Medians.of(seconds);
  }

  private static void plot(
      ScenarioContext context,
      List<Comparison> comparisons,
      Map<Double, Double> compactions,
      Map<Double, Double> offloaded,
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
                "servers that compact",
                "seconds",
                offloaded.isEmpty()
                    ? List.of(Plot.Series.of("region servers", compactions))
                    : List.of(
                        Plot.Series.of("region servers", compactions),
                        Plot.Series.of("compaction servers", offloaded))));
  }
}
