package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.ReadVariants;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Gets at several bandwidths. */
final class GetBandwidth implements Scenario {
  /** Of values in a row of the usual table. */
  private static final int USUAL_BYTES = 1000;

  /** Rows of 64 B for one row of 1 KB: about as many bytes with their keys. */
  private static final int SMALL_ROWS_PER_ROW = 8;

  private static final int BATCH = 100;
  private static final int BATCH_THREADS = 4;

  /** Batches take so long that a window of the usual length may hold one or two. */
  private static final int OPERATIONS_OF_BATCHES = 8;

  /** Below this a stock batch, of 100 blocks of 64 KB, takes longer than clients wait. */
  private static final int LEAST_MBPS_OF_BATCHES = 16;

  private static final String SEED =
      "stock falls below 128 Mbps, in-storage does not before 4; from 128 Mbps to 1 Mbps stock's"
          + " mean latency rises more than 50 times, in-storage's about 3 times";

  /** Gets of one kind, and the bandwidths of its presets; those of small runs may be none. */
  private record Kind(
      int valueBytes, int batch, String distribution, List<Integer> small, List<Integer> full) {
    /** Gets of one column of a row. */
    boolean isOfColumn() {
      return distribution.equals(ONE_COLUMN);
    }

    Load load(YcsbTable table, Keys keys, Mode mode, long seed) {
      return isOfColumn()
          ? GetLoad.ofOneColumn(table, keys, mode, seed)
          : new GetLoad(table, keys, batch, mode, seed);
    }

    @Override
    public String toString() {
      return valueBytes
          + " B values, "
          + (batch == 1 ? "single " : batch + " rows at once, ")
          + distribution;
    }
  }

  private static final String ONE_COLUMN = "uniform, one column";

  private static final List<Kind> ALL =
      List.of(
          new Kind(
              USUAL_BYTES,
              1,
              "uniform",
              List.of(8, 32, 128, 512, 0),
              List.of(1, 8, 32, 128, 512, 800, 0)),
          new Kind(USUAL_BYTES, 1, "zipfian", List.of(), List.of(8, 128, 0)),
          new Kind(USUAL_BYTES, 1, ONE_COLUMN, List.of(32, 128, 0), List.of(8, 32, 128, 0)),
          new Kind(USUAL_BYTES, BATCH, "uniform", List.of(128, 0), List.of(32, 128, 512, 0)),
          new Kind(64, 1, "uniform", List.of(8, 128, 0), List.of(8, 32, 128, 0)),
          new Kind(64, BATCH, "uniform", List.of(128, 0), List.of(128, 0)));

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
    return "003 fig. 8, 18; 22 (simulated)";
  }

  private static List<Kind> kinds(BenchOptions options) {
    List<Kind> kinds = new ArrayList<>(ALL);
    kinds.removeIf(kind -> options.preset(kind.small, kind.full).isEmpty());
    kinds.removeIf(kind -> kind.isOfColumn() && options.table().columns() == 1);
    kinds.removeIf(kind -> !options.table().canReadAtOnce(kind.batch));
    // Whoever names a table wants to know of that one.
    kinds.removeIf(
        kind -> kind.valueBytes != USUAL_BYTES && !options.table().equals(TableFormat.PLAIN));
    return kinds;
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int points = 0;
    for (Kind kind : kinds(options)) {
      points +=
          options.bandwidths().isEmpty()
              ? options.preset(kind.small, kind.full).size()
              : options.bandwidths().size();
    }
    return options.rowsOrPreset() * 6e-4
        + 3L * kinds(options).size() * options.warmUp().toSeconds()
        + options.secondsOf(3 * options.roundsOrPreset() * points);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    context.results().fact("seed's figures", SEED);
    if (!context.options().table().canReadAtOnce(BATCH)) {
      context.results().note("Rows are so wide that Gets of " + BATCH + " at once are left out.");
    }
    for (Kind kind : kinds(context.options())) {
      measure(context, kind);
    }
  }

  private static YcsbTable table(ScenarioContext context, Kind kind) throws IOException {
    long rows = context.options().rowsOrPreset();
    return YcsbTable.shared(
        context,
        kind.valueBytes == USUAL_BYTES
            ? context.options().usualTable()
            : new YcsbTable.Shape("smallrows", rows * SMALL_ROWS_PER_ROW, 1, kind.valueBytes));
  }

  private static void measure(ScenarioContext context, Kind kind) throws IOException {
    BenchOptions options = context.options();
    YcsbTable table = table(context, kind);
    Keys keys = Keys.of(kind.isOfColumn() ? "uniform" : kind.distribution, table.shape().rows());
    List<Variant> variants =
        ReadVariants.of(context, table, (of, mode) -> kind.load(of, keys, mode, options.seed()));
    Alternation alternation = alternation(context, kind);
    context.warmUp(kind.toString(), alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : bandwidths(context, kind)) {
      Point point =
          Point.uncapped()
              .with("value bytes", kind.valueBytes)
              .with("rows", kind.batch)
              .with("Gets", kind.distribution)
              .at(mbps)
              .seed(seed(kind, mbps))
              .target(target(kind, mbps));
      comparisons.add(context.measure(alternation, point, variants));
    }
    context
        .results()
        .plot(
            Plots.byBandwidth(
                kind.toString(), "operations/s", Plots.PER_SECOND, true, comparisons));
    context
        .results()
        .plot(
            Plots.byBandwidth(
                kind + ": latency", "mean ms", Plots.MEAN_MILLIS, false, comparisons));
  }

  private static Alternation alternation(ScenarioContext context, Kind kind) {
    BenchOptions options = context.options();
    if (kind.batch == 1) {
      return context.alternation(context.driver());
    }
    int threads = options.threads() > 0 ? options.threads() : BATCH_THREADS;
    context.results().fact("client threads of batches", threads);
    return context
        .alternation(context.driver(threads))
        .withWindow(Span.of(options.window()).withOperations(OPERATIONS_OF_BATCHES));
  }

  private static List<Integer> bandwidths(ScenarioContext context, Kind kind) {
    List<Integer> bandwidths = new ArrayList<>(context.bandwidths(kind.small, kind.full));
    if (kind.batch > 1 && bandwidths.removeIf(mbps -> mbps > 0 && mbps < LEAST_MBPS_OF_BATCHES)) {
      context
          .results()
          .note(
              "Batches below "
                  + LEAST_MBPS_OF_BATCHES
                  + " Mbps are left out: a stock batch would take longer than clients wait.");
    }
    return bandwidths;
  }

  /** What figure 18 says of this bandwidth; it is of single Gets of 1 KB. */
  private static String target(Kind kind, int mbps) {
    boolean scarce = mbps > 0 && mbps <= 32;
    return "ratio "
        + (scarce && kind.batch == 1 ? "20" : "0.95")
        + (kind.batch > 1 && kind.valueBytes == USUAL_BYTES ? ", in/value 1.15 at most" : "");
  }

  private static String seed(Kind kind, int mbps) {
    if (kind.valueBytes != USUAL_BYTES || kind.batch != 1 || mbps == 0) {
      return "";
    }
    return mbps >= 128
        ? "in-storage close to stock"
        : mbps >= 4 ? "stock drops, in-storage does not" : "both drop, in-storage far less";
  }
}
