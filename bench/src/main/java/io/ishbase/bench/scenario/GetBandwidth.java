package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Uniform Gets at several bandwidths. */
final class GetBandwidth implements Scenario {
  /** Rows of 64 B for one row of 1 KB: about as many bytes with their keys. */
  private static final int SMALL_ROWS_PER_ROW = 8;

  private static final int BATCH = 100;

  /** Batches take so long that a window of the usual length may hold one or two. */
  private static final int OPERATIONS_OF_BATCHES = 8;

  private static final List<Integer> FULL = List.of(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 800, 0);

  private static final String SEED =
      "stock falls below 128 Mbps, in-storage does not before 4; at 128 Mbps to 1 Mbps stock's mean"
          + " latency rises more than 50 times, in-storage's about 3 times";

  @Override
  public String name() {
    return "get-bandwidth";
  }

  @Override
  public String description() {
    return "Gets by bandwidth between compute and storage: 1 KB and 64 B values, single and 100 at"
        + " once";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 8, 18, 22";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int points =
        options.bandwidths().isEmpty()
            ? options.preset(12, 4 * FULL.size())
            : 4 * options.bandwidths().size();
    return options.rowsOrPreset() * 3e-4
        + 8 * options.warmUp().toSeconds()
        + options.secondsOf(2 * options.roundsOrPreset() * points);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("seed's figures", SEED);
    YcsbTable large = YcsbTable.shared(context, YcsbTable.Shape.usual(options.rowsOrPreset()));
    measure(context, large, 1, List.of(8, 32, 128, 512, 0));
    measure(context, large, BATCH, List.of(128, 0));
    YcsbTable small =
        YcsbTable.shared(
            context,
            new YcsbTable.Shape("smallrows", options.rowsOrPreset() * SMALL_ROWS_PER_ROW, 1, 64));
    measure(context, small, 1, List.of(8, 128, 0));
    measure(context, small, BATCH, List.of(128, 0));
  }

  private static void measure(
      ScenarioContext context, YcsbTable table, int batch, List<Integer> bandwidths)
      throws IOException {
    int bytes = table.shape().fieldBytes();
    Keys keys = Keys.uniform(table.shape().rows());
    List<Variant> variants =
        Variant.modes(mode -> new GetLoad(table, keys, batch, mode, context.options().seed()));
    Alternation alternation = context.alternation(context.driver());
    if (batch > 1) {
      alternation =
          alternation.withWindow(
              Span.of(context.options().window()).withOperations(OPERATIONS_OF_BATCHES));
    }
    Point point = Point.uncapped().with("value bytes", bytes).with("rows", batch);
    context.warmUp(bytes + " B, " + batch + " at once", alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : context.bandwidths(bandwidths, FULL)) {
      comparisons.add(
          context.measure(alternation, point.at(mbps).seed(seed(bytes, batch, mbps)), variants));
    }
    String words = bytes + " B values, " + (batch == 1 ? "single Gets" : batch + " rows at once");
    context
        .results()
        .plot(Plots.byBandwidth(words, "operations/s", Plots.PER_SECOND, true, comparisons));
    context
        .results()
        .plot(
            Plots.byBandwidth(
                words + ": latency", "mean ms", Plots.MEAN_MILLIS, false, comparisons));
  }

  /** What figure 18 says of this bandwidth; it is of single Gets of 1 KB. */
  private static String seed(int bytes, int batch, int mbps) {
    if (bytes != 1000 || batch != 1 || mbps == 0) {
      return "";
    }
    return mbps > 128 ? "about equal" : mbps == 128 ? "stock begins to fall" : "stock far behind";
  }
}
