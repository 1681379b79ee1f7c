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
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans of 100 rows of 100 columns, of which a filter on the column's name drops a share. */
final class ScanFilter implements Scenario {
  private static final int COLUMNS = 100;
  private static final int VALUE_BYTES = 100;
  private static final int SCAN_ROWS = 100;
  private static final List<Integer> DROPPED = List.of(0, 50, 90, 95);
  private static final List<Integer> SMALL = List.of(128, 0);
  private static final List<Integer> FULL = List.of(32, 128, 512, 0);
  private static final int LEAST_OPERATIONS = 16;

  @Override
  public String name() {
    return "scan-filter";
  }

  @Override
  public String description() {
    return "Scans of 100 rows of 100 columns of 100 B with a column filter that drops 0 to 95 %";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 10, 19; 29 (simulated)";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int bandwidths =
        options.bandwidths().isEmpty()
            ? options.preset(SMALL, FULL).size()
            : options.bandwidths().size();
    return options.rowsOrPreset() * 3e-4
        + 2L * DROPPED.size() * options.warmUp().toSeconds()
        + 1.5 * options.secondsOf(3 * options.roundsOrPreset() * DROPPED.size() * bandwidths);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    YcsbTable table =
        YcsbTable.shared(
            context,
            new YcsbTable.Shape(
                "widerows",
                Math.max(SCAN_ROWS, options.rowsOrPreset() * 1000 / (COLUMNS * VALUE_BYTES)),
                COLUMNS,
                VALUE_BYTES));
    Keys keys = Keys.uniform(table.shape().rows());
    Alternation alternation =
        context
            .alternation(context.driver())
            .withWindow(Span.of(options.window()).withOperations(LEAST_OPERATIONS));
    List<Integer> bandwidths = context.bandwidths(SMALL, FULL);
    List<Comparison> comparisons = new ArrayList<>();
    for (int dropped : DROPPED) {
      List<Variant> variants =
          ReadVariants.of(
              context,
              table,
              (of, mode) ->
                  new ScanLoad(
                      of,
                      keys,
                      SCAN_ROWS,
                      dropping(of, dropped),
                      COLUMNS - dropped,
                      mode,
                      options.seed()));
      context.warmUp(dropped + " % dropped", alternation, variants);
      for (int mbps : bandwidths) {
        Point point =
            Point.uncapped()
                .with("dropped %", dropped)
                .at(mbps)
                .seed("in-storage about 1.7 at every share; stock rises with it")
                .target("in/cell 1.3 at most, ratio " + (mbps > 0 && mbps <= 32 ? "20" : "0.95"));
        comparisons.add(context.measure(alternation, point, variants));
      }
    }
    for (int mbps : bandwidths) {
      plot(context, comparisons.stream().filter(c -> c.point().mbps() == mbps).toList());
    }
  }

  /** The columns whose names sort first are dropped. */
  private static Filter dropping(YcsbTable table, int columns) {
    return new QualifierFilter(
        CompareOperator.GREATER_OR_EQUAL,
        new BinaryComparator(Bytes.toBytes(table.columns().get(columns))));
  }

  private static void plot(ScenarioContext context, List<Comparison> comparisons) {
    if (comparisons.isEmpty()) {
      return;
    }
    String cap = comparisons.get(0).point().cap();
    context
        .results()
        .plot(
            Plots.byParameter(
                    "Amplification, " + cap,
                    "dropped %",
                    "% of the columns dropped",
                    "bytes from storage per byte of value",
                    Plots.AMPLIFICATION,
                    comparisons)
                .withLogY());
    context
        .results()
        .plot(
            Plots.byParameter(
                "Rate, " + cap,
                "dropped %",
                "% of the columns dropped",
                "scans/s",
                Plots.PER_SECOND,
                comparisons));
  }
}
