package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.ReadVariants;
import io.ishbase.bench.ScanLoad;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scans by their number of rows. */
final class ScanLength implements Scenario {
  private static final List<Integer> LENGTHS = List.of(10, 100, 1000);
  private static final List<Integer> SMALL = List.of(128, 0);
  private static final List<Integer> FULL = List.of(32, 128, 512, 0);
  private static final int LEAST_OPERATIONS = 16;

  private static final Map<Integer, String> AMPLIFICATION_TARGETS =
      Map.of(10, "1.5", 100, "1.2", 1000, "1.1");

  @Override
  public String name() {
    return "scan-length";
  }

  @Override
  public String description() {
    return "Scans of 10, 100 and 1000 rows of 1 KB: amplification and rate";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 9";
  }

  /** Lengths of scans whose rows clients can hold. */
  private static List<Integer> lengths(BenchOptions options) {
    return LENGTHS.stream().filter(options.table()::canReadAtOnce).toList();
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int bandwidths =
        options.bandwidths().isEmpty()
            ? options.preset(SMALL, FULL).size()
            : options.bandwidths().size();
    int points = lengths(options).size() * bandwidths;
    return options.rowsOrPreset() * 2e-4
        + 3L * lengths(options).size() * options.warmUp().toSeconds()
        + options.secondsOf(3 * options.roundsOrPreset() * points);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    YcsbTable table = YcsbTable.shared(context, options.usualTable());
    Keys keys = Keys.uniform(table.shape().rows());
    Alternation alternation =
        context
            .alternation(context.driver())
            .withWindow(Span.of(options.window()).withOperations(LEAST_OPERATIONS));
    List<Comparison> comparisons = new ArrayList<>();
    if (lengths(options).size() < LENGTHS.size()) {
      context
          .results()
          .note("Rows are so wide that only scans of " + lengths(options) + " rows are measured.");
    }
    for (int length : lengths(options)) {
      List<Variant> variants =
          ReadVariants.of(
              context, table, (of, mode) -> new ScanLoad(of, keys, length, mode, options.seed()));
      context.warmUp("scans of " + length, alternation, variants);
      for (int mbps : context.bandwidths(SMALL, FULL)) {
        Point point =
            Point.uncapped()
                .with("rows of a scan", length)
                .at(mbps)
                .seed(seed(length))
                .target("in/value " + AMPLIFICATION_TARGETS.get(length) + " at most, ratio 0.95");
        comparisons.add(context.measure(alternation, point, variants));
      }
    }
    context
        .results()
        .plot(
            Plots.bars(
                "Amplification by rows of a scan",
                "bytes from storage per byte of value",
                ScanLength::words,
                Plots.AMPLIFICATION,
                comparisons));
    context
        .results()
        .plot(
            Plots.bars(
                "Rate by rows of a scan",
                "rows/s",
                ScanLength::words,
                Plots.ROWS_PER_SECOND,
                comparisons));
  }

  private static String words(Comparison comparison) {
    return comparison.point().parameters().get("rows of a scan")
        + " rows, "
        + comparison.point().cap();
  }

  /** Figure 9 is of stock alone. */
  private static String seed(int length) {
    return length == 10 ? "stock about 4 times that of 100, 30 times that of 1000" : "";
  }
}
