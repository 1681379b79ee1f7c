package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Load;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Order;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.AroundCompaction.Times;
import io.ishbase.bench.scenario.CompactionPhases.Phase;
import io.ishbase.bench.tpcc.TpccConsistency;
import io.ishbase.bench.tpcc.TpccLoader;
import io.ishbase.bench.tpcc.TpccScale;
import io.ishbase.bench.tpcc.TpccTerminal;
import io.ishbase.bench.tpcc.TpccTransaction;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.TableName;

/**
 * {@code tpcc}: TPC-C's transactions around major compactions of the two tables that change most.
 * Transactions write to the same tables in every variant; variants differ in how they read, and in
 * who compacts.
 */
final class Tpcc implements Scenario {
  private static final List<Integer> SMALL = List.of(128);
  private static final List<Integer> FULL = List.of(128, 0);
  private static final int LONE_TRANSACTIONS = 200;

  /** A table that is compacted, and the transaction that the seed watches meanwhile. */
  private record Compacted(TableName table, TpccTransaction watched) {}

  private static final List<Compacted> COMPACTIONS =
      List.of(
          new Compacted(TpccLoader.stockTable(), TpccTransaction.NEW_ORDER),
          new Compacted(TpccLoader.orderLineTable(), TpccTransaction.STOCK_LEVEL));

  /** What is compared. */
  private record Way(String name, Mode reads, CompactionMode compactions) {}

  private static final List<Way> WAYS =
      List.of(
          new Way("stock", Mode.STOCK, CompactionMode.STOCK),
          new Way("offload, throttled", Mode.STOCK, CompactionMode.THROTTLED),
          new Way("in-storage, offload", Mode.IN_STORAGE, CompactionMode.OFFLOAD));

  private static final String TARGET = "ratio 1.11 at least";

  @Override
  public String name() {
    return "tpcc";
  }

  @Override
  public String description() {
    return "TPC-C's transactions, not isolated, around major compactions";
  }

  @Override
  public String seedFigures() {
    return "000 fig. 8";
  }

  private static TpccScale scale(BenchOptions options) {
    if (options.rows() > 0) {
      // One warehouse undivided has about 600,000 rows.
      return new TpccScale(1, (int) Math.max(1, 600_000 / options.rows()));
    }
    return options.preset(new TpccScale(2, 10), new TpccScale(4, 2));
  }

  private static Times times(BenchOptions options) {
    if (options.seconds() > 0) {
      Duration window = Duration.ofMillis(Math.round(1000 * options.seconds()));
      return new Times(window.multipliedBy(2), window, 3, 4, 2);
    }
    return options.preset(
        new Times(Duration.ofSeconds(2), Duration.ofSeconds(2), 3, 4, 1),
        new Times(Duration.ofSeconds(30), Duration.ofSeconds(5), 12, 36, 6));
  }

  private static int rounds(BenchOptions options) {
    return options.rounds() > 0 ? options.rounds() : options.preset(2, 4);
  }

  private static List<Integer> bandwidths(BenchOptions options) {
    return options.bandwidths().isEmpty() ? options.preset(SMALL, FULL) : options.bandwidths();
  }

  /** Bytes of the tables, about: a row has 400. */
  private static long bytes(BenchOptions options) {
    return scale(options).rows() * 400;
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.holding(bytes(options)).withSegmentCaches().withRemoteCaches();
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double runs = COMPACTIONS.size() * WAYS.size() * rounds(options) * bandwidths(options).size();
    return 15
        + AroundCompaction.warmUpSeconds(COMPACTIONS.size(), bytes(options) / 1e6)
        + WAYS.size() * options.firstWarmUp().toSeconds()
        + scale(options).rows() / 5000.0
        + runs * times(options).seconds(bytes(options) / 5e7);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    TpccScale scale = scale(options);
    new TpccLoader(context.connection(), scale, options.seed()).load();
    context.results().fact("warehouses", scale.warehouses());
    context.results().fact("customers of a district", scale.customers());
    context.results().fact("items", scale.items());
    context
        .results()
        .note(
            "This is no TPC-C result: there are no transactions, no think times, and the tables are"
                + " smaller than the specification's.");
    // Each terminal of the run has a number, and so a history and random values, of its own.
    AtomicInteger terminals = new AtomicInteger();
    for (Mode mode : Mode.PLAIN) {
      checkAlone(context, scale, mode, terminals.getAndIncrement());
    }
    Map<Way, Variant> variants = new LinkedHashMap<>();
    for (Way way : WAYS) {
      Load load = worker -> open(context, scale, way.reads, terminals.getAndIncrement());
      variants.put(way, Variant.of(way.name, load));
    }
    context
        .results()
        .note(
            "in-storage reads have a segment cache as large as the block cache of the others; the two"
                + " tables are read whole before each run. tpmC through: from the beginning of the"
                + " compaction to the end of the run; the ratio is of that.");
    LoadDriver driver = context.driver();
    context.warmUp("transactions", context.alternation(driver), List.copyOf(variants.values()));
    AroundCompaction around = new AroundCompaction(context.connection(), driver, times(options));
    around.warmUp(
        COMPACTIONS.stream().map(Compacted::table).toList(), bytes(context.options()) / 1e6);
    List<Integer> bandwidths = context.bandwidths(SMALL, FULL);
    for (int mbps : bandwidths.isEmpty() ? List.of(0) : bandwidths) {
      for (Compacted compaction : COMPACTIONS) {
        compare(context, around, compaction, variants, mbps);
      }
    }
    context
        .results()
        .fact(
            "violations of the conditions after all terminals, to be expected without transactions",
            TpccConsistency.violations(context.connection(), Mode.STOCK, scale).size());
  }

  /** A single terminal leaves consistent data behind, whatever it reads and writes. */
  private static void checkAlone(ScenarioContext context, TpccScale scale, Mode mode, int terminal)
      throws IOException {
    try (TpccTerminal alone =
        new TpccTerminal(context.connection(), mode, scale, context.options().seed(), terminal)) {
      for (int i = 0; i < LONE_TRANSACTIONS; i++) {
        alone.next();
      }
    }
    List<String> violations = TpccConsistency.violations(context.connection(), mode, scale);
    if (!violations.isEmpty()) {
      throw new IOException(
          "after "
              + LONE_TRANSACTIONS
              + " transactions of one terminal, "
              + mode
              + ": "
              + String.join("; ", violations));
    }
    context
        .results()
        .fact(
            "consistent after " + LONE_TRANSACTIONS + " transactions of one terminal, " + mode,
            "yes: conditions 1 to 4 of clause 3.3.2");
  }

  private static Load.Client open(ScenarioContext context, TpccScale scale, Mode mode, int number)
      throws IOException {
    TpccTerminal terminal =
        new TpccTerminal(context.connection(), mode, scale, context.options().seed(), number);
    return new Load.Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        tally.kind(terminal.next().toString());
      }

      @Override
      public void close() throws IOException {
        terminal.close();
      }
    };
  }

  private static void compare(
      ScenarioContext context,
      AroundCompaction around,
      Compacted compaction,
      Map<Way, Variant> variants,
      int mbps)
      throws IOException {
    String cap = mbps == 0 ? "uncapped" : mbps + " Mbps";
    String table = compaction.table.getNameAsString();
    Map<String, List<Timeline>> timelines = new LinkedHashMap<>();
    WAYS.forEach(way -> timelines.put(way.name, new ArrayList<>()));
    for (int round = 0; round < rounds(context.options()); round++) {
      for (Way way : Order.ofRound(round, WAYS)) {
        for (Compacted each : COMPACTIONS) {
          way.compactions.switchOver(context.connection(), each.table);
          Tables.readAll(context.connection(), each.table, way.reads);
        }
        context.rig().capMbps(mbps);
        try {
          timelines
              .get(way.name)
              .add(
                  around.run(
                      table + ", " + cap + ", " + way.name, variants.get(way), compaction.table));
        } finally {
          context.rig().capMbps(0);
        }
      }
    }
    ToDoubleFunction<Sample> watched = sample -> meanMillis(sample, compaction.watched);
    TimelineReport.add(
        context.results(),
        Map.of("compacted", table, "cap", cap),
        timelines,
        Tpcc::figures,
        "tpmC through",
        Map.of(WAYS.get(1).name, TARGET, WAYS.get(2).name, TARGET),
        "000: offloaded, with throttled incremental warm-up, nearly 11 % more tpmC");
    context
        .results()
        .plot(
            TimelineReport.plot(
                "Mean time of "
                    + compaction.watched
                    + " around a compaction of "
                    + table
                    + ", "
                    + cap,
                timelines,
                watched));
  }

  private static Map<String, Double> figures(Timeline timeline) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("tpmC through", tpmC(timeline.sinceCompaction()));
    figures.put("compaction s", timeline.compactionSeconds());
    for (Phase phase : List.of(Phase.BEFORE, Phase.COMPACTION, Phase.WARM_UP)) {
      Sample sample = timeline.of(phase);
      if (sample.operations() > 0) {
        String words = phase.toString().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        figures.put("tpmC " + words, tpmC(sample));
        for (TpccTransaction transaction : TpccTransaction.values()) {
          if (count(sample, transaction) > 0) {
            figures.put(transaction + " ms " + words, meanMillis(sample, transaction));
          }
        }
      }
    }
    Sample during = timeline.of(Phase.COMPACTION);
    figures.put("MB in during", during.network().in() / 1e6);
    figures.put("MB out during", during.network().out() / 1e6);
    return figures;
  }

  private static double tpmC(Sample sample) {
    return 60 * count(sample, TpccTransaction.NEW_ORDER) / sample.seconds();
  }

  private static double count(Sample sample, TpccTransaction transaction) {
    Histogram latency = sample.byKind().get(transaction.toString());
    return latency == null ? 0 : latency.getTotalCount();
  }

  private static double meanMillis(Sample sample, TpccTransaction transaction) {
    Histogram latency = sample.byKind().get(transaction.toString());
    return latency == null ? 0 : latency.getMean() / 1e6;
  }
}
