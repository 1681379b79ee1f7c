package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Amplification of Gets by how much of the table is asked for: so many Gets that their rows make up
 * a share of the table, drawn with repetition, beginning with an empty block cache.
 */
final class GetRatio implements Scenario {
  private static final List<Double> SMALL = List.of(0.1, 1.0, 10.0, 40.0);
  private static final List<Double> FULL = List.of(0.01, 0.1, 1.0, 10.0, 40.0);
  private static final double GETS_PER_SECOND = 5000;

  @Override
  public String name() {
    return "get-ratio";
  }

  @Override
  public String description() {
    return "Amplification of Gets by the share of the data that is asked for, uniform and Zipfian";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 7, 17";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double share = options.preset(SMALL, FULL).stream().mapToDouble(s -> s / 100).sum();
    return 4 * options.warmUp().toSeconds()
        + options.rowsOrPreset() * (1e-4 + 4 * options.roundsOrPreset() * share / GETS_PER_SECOND);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context
        .results()
        .note(
            "Uncapped. The block cache of the region server is emptied before each window, that of"
                + " the daemons is not; no bytes between compute and storage depend on it.");
    YcsbTable table = YcsbTable.shared(context, options.usualTable());
    for (String distribution : List.of("uniform", "zipfian")) {
      measure(context, table, distribution);
    }
  }

  private static void measure(ScenarioContext context, YcsbTable table, String distribution)
      throws IOException {
    BenchOptions options = context.options();
    Keys keys = Keys.of(distribution, table.shape().rows());
    List<Variant> variants =
        Variant.modes(options.modes(), mode -> new GetLoad(table, keys, 1, mode, options.seed()));
    Alternation alternation =
        context
            .alternation(context.driver())
            .withLeadIn(Duration.ZERO)
            .judgedBy(Sample::amplification)
            .preparedBy(variant -> Tables.clearBlockCache(context.connection(), table.name()));
    context.warmUp(distribution + " Gets", alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (double percent : options.preset(SMALL, FULL)) {
      long gets = Math.max(1, Math.round(table.shape().rows() * percent / 100));
      Point point =
          Point.uncapped()
              .with("Gets", distribution)
              .with("asked for %", percent)
              .seed(seed(distribution, percent));
      comparisons.add(
          context.measure(alternation.withWindow(Span.ofOperations(gets)), point, variants));
    }
    context
        .results()
        .plot(
            Plots.byParameter(
                    distribution + " Gets",
                    "asked for %",
                    "% of the table asked for",
                    "bytes from storage per byte of value",
                    Plots.AMPLIFICATION,
                    comparisons)
                .withLogX()
                .withLogY());
  }

  private static String seed(String distribution, double percent) {
    boolean uniform = distribution.equals("uniform");
    String less = uniform ? "in-storage 95 % less" : "in-storage 97 % less";
    return percent < 0.1 ? "stock about " + (uniform ? 90 : 80) + "; " + less : less;
  }
}
