package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Load;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Variant;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * {@code aggregates}: counts and sums over all rows, by HBase's own endpoint and beside the data,
 * and Gets that one client's counts disturb.
 */
final class Aggregates implements Scenario {
  /** The kind of operation that an aggregate is. */
  static final String AGGREGATE = "aggregate";

  private static final String GET = "get";
  private static final String OURS = "io.ishbase.plugin.aggregate.AggregateEndpoint";
  private static final String STOCK = "org.apache.hadoop.hbase.coprocessor.AggregateImplementation";
  private static final List<Integer> BANDWIDTHS = List.of(128, 0);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Histogram NONE = new Histogram(1);
  private static final double KB = 1000;

  private static final Map<String, Plots.Figure> FIGURES =
      Map.of(
          "KB in each", (c, variant) -> c.median(variant, Aggregates::inEach),
          "KB out each", (c, variant) -> c.median(variant, Aggregates::outEach));

  private static final Map<String, Plots.Figure> OF_GETS =
      Map.of(
          "Gets/s",
          (c, variant) -> c.median(variant, Aggregates::getsPerSecond),
          "Get p50 ms",
          (c, variant) -> millisAt(c, variant, 50),
          "Get p99 ms",
          (c, variant) -> millisAt(c, variant, 99));

  @Override
  public String name() {
    return "aggregates";
  }

  @Override
  public String description() {
    return "Counts and sums over all rows by HBase's endpoint and beside the data; Gets meanwhile";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double stockSeconds = options.usualTable().rows() / 15_000.0;
    return 20
        + options.usualTable().rows() * 2e-4
        + options.roundsOrPreset() * 6 * stockSeconds
        + options.secondsOf(7 * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    long rows = options.usualTable().rows();
    AggregatedTable stock = table(context, "counted_stock", rows, STOCK);
    AggregatedTable ours = table(context, "counted", rows, OURS);
    compare(context, "count", stock.counts(Mode.STOCK), ours.counts(Mode.IN_STORAGE));
    compare(context, "sum", stock.sums(Mode.STOCK), ours.sums(Mode.IN_STORAGE));
    besideGets(context, stock, ours);
  }

  private static void compare(ScenarioContext context, String aggregate, Load stock, Load ours)
      throws IOException {
    List<Variant> variants = List.of(Variant.of("stock", stock), Variant.of("in-storage", ours));
    Alternation alone = context.alternation(context.driver(1));
    context.warmUp(aggregate, alone, variants);
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      Point point =
          Point.uncapped()
              .with("aggregate", aggregate)
              .at(mbps)
              .target(mbps == 128 ? "1.3 GB in 3 s, KB in each 50" : "");
      context.measure(alone, point, variants, FIGURES);
    }
  }

  private static AggregatedTable table(
      ScenarioContext context, String name, long rows, String endpoint) throws IOException {
    AggregatedTable table =
        new AggregatedTable(
            context.connection(),
            NumberedTable.Shape.usual(name, rows)
                .withRegions(context.options().table().regions())
                .in(context.options().table()),
            endpoint);
    table.fill();
    return table;
  }

  private static void besideGets(
      ScenarioContext context, AggregatedTable stock, AggregatedTable ours) throws IOException {
    Load gets = ours.rows().gets(Mode.IN_STORAGE, "uniform", context.options().seed());
    List<Variant> variants =
        List.of(
            Variant.of("Gets alone", withOne(worker -> Aggregates::pause, gets)),
            Variant.of("beside counts in-storage", withOne(ours.counts(Mode.IN_STORAGE), gets)),
            Variant.of("beside stock counts", withOne(stock.counts(Mode.STOCK), gets)));
    int threads = Math.max(2, context.options().threadsOrPreset());
    Alternation alternation =
        context.alternation(context.driver(threads)).judgedBy(Aggregates::getsPerSecond);
    context.warmUp("Gets beside counts", alternation, variants);
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      Point point =
          Point.uncapped()
              .with("aggregate", "one client's, beside Gets in-storage")
              .at(mbps)
              .target("Get p99 1.1");
      context.measure(alternation, point, variants, OF_GETS);
    }
  }

  /** What a client does that leaves the others alone. */
  private static void pause(Tally tally) {
    tally.kind("pause");
    LockSupport.parkNanos(PAUSE.toNanos());
  }

  /** One client does the first, all others the second. */
  private static Load withOne(Load first, Load others) {
    return worker -> worker == 0 ? first.open(worker) : ofGets(others.open(worker));
  }

  private static Load.Client ofGets(Load.Client client) {
    return new Load.Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        tally.kind(GET);
        client.operate(tally);
      }

      @Override
      public void close() throws IOException {
        client.close();
      }
    };
  }

  private static double inEach(Sample sample) {
    return sample.network().in() / KB / sample.operations();
  }

  private static double outEach(Sample sample) {
    return sample.network().out() / KB / sample.operations();
  }

  private static double getsPerSecond(Sample sample) {
    return gets(sample).getTotalCount() / sample.seconds();
  }

  private static double millisAt(Comparison comparison, String variant, double percent) {
    return gets(comparison.all(variant)).getValueAtPercentile(percent) / 1e6;
  }

  private static Histogram gets(Sample sample) {
    return sample.byKind().getOrDefault(GET, NONE);
  }
}
