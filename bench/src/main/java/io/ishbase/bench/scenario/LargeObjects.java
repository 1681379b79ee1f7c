package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import java.io.IOException;
import java.util.List;

/**
 * {@code large-objects}: uniform Gets of values of 100 KB, which a MOB family keeps in files of
 * their own, and scans of ten of them.
 */
final class LargeObjects implements Scenario {
  private static final int VALUE_BYTES = 100_000;
  private static final int SCAN_ROWS = 10;

  /** HBase's own threshold is a little more than one of these values. */
  private static final long MOB_THRESHOLD_BYTES = 10_000;

  private static final List<Integer> BANDWIDTHS = List.of(128, 0);

  @Override
  public String name() {
    return "large-objects";
  }

  @Override
  public String description() {
    return "Gets and scans of values of 100 KB in a MOB family";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  private static NumberedTable.Shape shape(BenchOptions options) {
    long rows = options.rows() > 0 ? options.rows() : options.preset(1000L, 5000L);
    return NumberedTable.Shape.usual("large_objects", rows).withValueBytes(VALUE_BYTES);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int points = options.bandwidths().isEmpty() ? BANDWIDTHS.size() : options.bandwidths().size();
    int variants = 2 * options.modes().size();
    return shape(options).rows() / 300.0
        + variants * options.warmUp().toSeconds()
        + options.secondsOf(variants * points * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    NumberedTable table = new NumberedTable(context.connection(), shape(options));
    table.create(family -> family.setMobEnabled(true).setMobThreshold(MOB_THRESHOLD_BYTES));
    table.fill();
    long seed = options.seed();
    measure(
        context, "Gets", Variant.modes(options.modes(), mode -> table.gets(mode, "uniform", seed)));
    measure(
        context,
        "scans of " + SCAN_ROWS,
        Variant.modes(
            options.modes(),
            mode -> table.scans(mode, SCAN_ROWS, NumberedTable.Returned.ALL, "uniform", seed)));
  }

  private static void measure(ScenarioContext context, String reads, List<Variant> variants)
      throws IOException {
    Alternation alternation = context.alternation(context.driver());
    context.warmUp(reads + " of large objects", alternation, variants);
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      Point point = Point.uncapped().with("reads", reads).at(mbps);
      context.measure(alternation, mbps == 0 ? point.target("ratio 0.95") : point, variants);
    }
  }
}
