package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Order;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.scenario.IdleCompaction.Run;
import io.ishbase.cluster.ClusterNeeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;

/**
 * {@code compaction-time}: a major compaction without reads, by the region server and by the
 * storage nodes: how long it takes, and what crosses between compute and storage meanwhile.
 */
final class CompactionTime implements Scenario {
  /** The line of which the seed gives shares. */
  private static final int LINE_MBPS = 512;

  private static final List<Integer> SHARES = List.of(100, 50, 10);
  private static final List<CompactionMode> MODES =
      List.of(CompactionMode.STOCK, CompactionMode.OFFLOAD);

  /** Of the rows of the table whose bytes are counted, the time is measured with a half … */
  private static final int TIMED_SHARE = 2;

  /** … and with a quarter where the blocks lie on any node. */
  private static final int SPREAD_SHARE = 4;

  /** Files of a store whose compaction is measured with what it merges. */
  private static final int FILES = 5;

  /** Compactions of each table in each mode that are not measured: JVMs compile. */
  private static final int WARM_UPS = 2;

  private static final String TIME_SEED = "41.84 to 6.31 % of stock, the same at any share";
  private static final Map<Integer, String> TIME_TARGETS =
      Map.of(100, "40 % of stock at most", 50, "22 % at most", 10, "6 % at most");

  @Override
  public String name() {
    return "compaction-time";
  }

  @Override
  public String description() {
    return "A major compaction without reads: its time and its bytes, by bandwidth";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 31 to 33";
  }

  private static long rows(BenchOptions options) {
    return options
        .table()
        .rowsLike(options.rows() > 0 ? options.rows() : options.preset(200_000L, 1_300_000L));
  }

  private static int regions(BenchOptions options) {
    return options.preset(2, 4);
  }

  private static int rounds(BenchOptions options) {
    return options.rounds() > 0 ? options.rounds() : options.preset(2, 4);
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    // HBase's own throttle begins below the line's rate; it would hide what is measured.
    return ClusterNeeds.usual(options.rowsOrPreset())
        .with(
            "hbase.regionserver.throughput.controller",
            "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController")
        .with("hbase.regionserver.thread.compaction.small", regions(options));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double megabytes = rows(options) / 1000.0;
    double stock = megabytes / 60;
    for (int share : SHARES) {
      stock += 2 * megabytes / TIMED_SHARE / Math.min(60, LINE_MBPS * share / 800.0);
    }
    stock += megabytes / SPREAD_SHARE / (LINE_MBPS / 80.0);
    // Each is followed by as long an idle window.
    double offloaded = (1 + SHARES.size()) * megabytes / 60;
    double warmUps = 3 * WARM_UPS * (1 + 1.0 / TIMED_SHARE + 1.0 / SPREAD_SHARE) * megabytes / 60;
    double fresh =
        2.0
            * MODES.size()
            * rounds(options)
            * (rows(options) / 8000.0 + 2 * megabytes / 60)
            / SPREAD_SHARE;
    return warmUps
        + fresh
        + rows(options) / 8000.0 * (1 + 1.0 / TIMED_SHARE + 1.0 / SPREAD_SHARE)
        + rounds(options) * (stock + 2 * offloaded);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("rows", rows(options));
    context
        .results()
        .note(
            "Nothing reads meanwhile. stock: the region server compacts, as many regions at once as"
                + " there are; offload: the storage daemons do.");
    context
        .results()
        .note(
            "crossed: all bytes on the region server's interface to storage during the compaction, in"
                + " both directions, for each byte compacted. That includes heartbeats of DataNodes and"
                + " daemons, what workers ask the NameNode beside the region server, and the region"
                + " server's opening of the new files. net of idle: less what crosses in as long a time"
                + " right after it. messages: requests and answers between region server, manager and"
                + " workers alone.");
    List<CompactionCase> cases = cases(context);
    Map<CompactionMode, Map<Double, Double>> secondsByShare = new TreeMap<>();
    IdleCompaction idle = new IdleCompaction(context.connection(), context.rig());
    warmUp(idle, cases);
    for (CompactionCase each : cases) {
      Map<CompactionMode, List<Run>> runs = new LinkedHashMap<>();
      for (int round = 0; round < rounds(options); round++) {
        for (CompactionMode mode : Order.ofRound(round, MODES)) {
          if (each.fresh()) {
            each.table().create();
            each.table().fill();
            if (!IdleMachine.await()) {
              context
                  .results()
                  .note("The machine was not idle before a compaction; offloaded ones make way.");
            }
          }
          runs.computeIfAbsent(mode, key -> new ArrayList<>())
              .add(
                  idle.run(
                      String.join(", ", each.parameters().values()),
                      each.table().name(),
                      each.regions(),
                      mode,
                      each.computeMbps(),
                      each.storageMbps()));
        }
      }
      each.addTo(context.results(), runs);
      if (each.computeMbps() > 0) {
        runs.forEach(
            (mode, some) ->
                secondsByShare
                    .computeIfAbsent(mode, key -> new TreeMap<>())
                    .put(100.0 * each.computeMbps() / LINE_MBPS, CompactionCase.seconds(some)));
      }
    }
    plot(context, secondsByShare);
  }

  private static void warmUp(IdleCompaction idle, List<CompactionCase> cases) throws IOException {
    Map<TableName, Integer> regions = new LinkedHashMap<>();
    cases.stream()
        .filter(each -> !each.fresh())
        .forEach(each -> regions.put(each.table().name(), each.regions()));
    for (int i = 0; i < WARM_UPS; i++) {
      for (CompactionMode mode : MODES) {
        for (Map.Entry<TableName, Integer> table : regions.entrySet()) {
          idle.run("warming up, " + table.getKey(), table.getKey(), table.getValue(), mode, 0, 0);
        }
      }
    }
  }

  /** The tables, filled, and under which caps each is compacted. */
  private static List<CompactionCase> cases(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    long rows = rows(options);
    int regions = regions(options);
    List<CompactionCase> cases = new ArrayList<>();
    NumberedTable whole = table(context, shape("whole", rows, options));
    cases.add(
        new CompactionCase(
            whole,
            "1 region",
            1,
            0,
            0,
            "messages 0.001 % at most",
            "less than 0.001 % of the bytes compacted, control data of 320 B"));
    cases.addAll(ofSeveralFiles(context));
    if (!context.rig().canCap()) {
      context.results().note("Without network namespaces nothing can be capped.");
      return cases;
    }
    NumberedTable home =
        table(context, shape("at_home", rows / TIMED_SHARE, options).withRegions(regions));
    String words = regions + " regions";
    for (int share : SHARES) {
      int mbps = LINE_MBPS * share / 100;
      String seed = share == SHARES.get(0) ? TIME_SEED : "";
      cases.add(new CompactionCase(home, words, regions, mbps, 0, TIME_TARGETS.get(share), seed));
    }
    for (int share : SHARES) {
      int mbps = LINE_MBPS * share / 100;
      cases.add(
          new CompactionCase(home, words, regions, 0, mbps, "never above 110 % of stock", ""));
    }
    NumberedTable spread =
        table(
            context,
            shape("spread", rows / SPREAD_SHARE, options)
                .withRegions(regions)
                .withValue("ishbase.placement", "false"));
    cases.add(
        new CompactionCase(
            spread,
            words + ", blocks on any node",
            regions,
            0,
            LINE_MBPS / 10,
            "never above 110 % of stock",
            "slower than stock at 10 % of the storage nodes' bandwidth"));
    return cases;
  }

  /** Files that do not overlap, and files that do: the one is copied at best, the other merged. */
  private static List<CompactionCase> ofSeveralFiles(ScenarioContext context) {
    BenchOptions options = context.options();
    TableFormat format = options.table().withStores(options.table().stores().withFiles(FILES));
    NumberedTable.Shape overlapping =
        shape("overlapping", rows(options) / SPREAD_SHARE, options).in(format);
    NumberedTable.Shape byTime =
        shape("by_time", rows(options) / SPREAD_SHARE, options).in(format).inOrderOfKeys();
    // Of two regions, two daemons on one machine would take each other's work for that of others.
    String words = "1 region, " + FILES + " files, ";
    return List.of(
        fresh(context, byTime, words + "keys by time", "40 % of stock at most"),
        fresh(context, overlapping, words + "which overlap", "100 % of stock at most"));
  }

  private static CompactionCase fresh(
      ScenarioContext context, NumberedTable.Shape shape, String words, String target) {
    NumberedTable table = new NumberedTable(context.connection(), shape);
    return new CompactionCase(table, words, 1, 0, 0, target, "", true);
  }

  private static NumberedTable.Shape shape(String name, long rows, BenchOptions options) {
    return NumberedTable.Shape.usual(name, rows).in(options.table());
  }

  private static NumberedTable table(ScenarioContext context, NumberedTable.Shape shape)
      throws IOException {
    NumberedTable table = new NumberedTable(context.connection(), shape);
    table.create();
    table.fill();
    return table;
  }

  /** Time by the compute node's share of the line. */
  private static void plot(
      ScenarioContext context, Map<CompactionMode, Map<Double, Double>> secondsByShare) {
    List<Plot.Series> series = new ArrayList<>();
    secondsByShare.forEach((mode, seconds) -> series.add(Plot.Series.of(mode.toString(), seconds)));
    if (!series.isEmpty()) {
      context
          .results()
          .plot(
              Plot.lines(
                  "A major compaction by the compute node's share of " + LINE_MBPS + " Mbps",
                  "%",
                  "seconds",
                  series));
    }
  }
}
