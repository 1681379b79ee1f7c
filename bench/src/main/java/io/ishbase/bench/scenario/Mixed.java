package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Keys;
import io.ishbase.bench.MixedLoad;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Gets, Scans and Puts in several shares. */
final class Mixed implements Scenario {
  private static final List<Integer> SMALL_GETS = List.of(50, 92, 100);
  private static final List<Integer> FULL_GETS = List.of(0, 25, 50, 75, 92, 100);
  private static final List<Integer> SMALL_READS = List.of(10, 50, 90);
  private static final List<Integer> FULL_READS = List.of(10, 30, 50, 70, 90);
  private static final List<Integer> SMALL = List.of(128);
  private static final List<Integer> FULL = List.of(32, 128, 512, 0);
  private static final int USUAL_GETS = 92;
  private static final int MEAN_SCAN_ROWS = 30;

  @Override
  public String name() {
    return "mixed";
  }

  @Override
  public String description() {
    return "Zipfian Gets, Scans of 30 rows on average and Puts of 1 KB, by Get:Scan and read:write";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 25, 30 (simulated)";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int loads =
        options.preset(SMALL_GETS, FULL_GETS).size()
            + options.preset(SMALL_READS, FULL_READS).size();
    int bandwidths =
        options.bandwidths().isEmpty()
            ? options.preset(SMALL, FULL).size()
            : options.bandwidths().size();
    return options.rowsOrPreset() * 2e-4
        + 2L * loads * options.warmUp().toSeconds()
        + options.secondsOf(2 * options.roundsOrPreset() * loads * bandwidths);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    YcsbTable table =
        new YcsbTable(
            context.connection(),
            new YcsbTable.Shape("mixedtable", options.rowsOrPreset(), 1, 1000));
    table.load();
    context.results().fact("table", table.shape());
    context
        .results()
        .note(
            "Both modes write to the same table, in turn: its memstore and HFiles grow during the"
                + " run, for both alike. A Put writes the value that is there already.");
    List<Integer> bandwidths = context.bandwidths(SMALL, FULL);
    List<Comparison> scans = new ArrayList<>();
    for (int gets : options.preset(SMALL_GETS, FULL_GETS)) {
      scans.addAll(
          measure(context, table, 100, gets, "in-storage faster at every share", bandwidths));
    }
    List<Comparison> writes = new ArrayList<>();
    for (int reads : options.preset(SMALL_READS, FULL_READS)) {
      writes.addAll(
          measure(
              context,
              table,
              reads,
              USUAL_GETS,
              "in-storage faster at every share, the more the more reads",
              bandwidths));
    }
    for (int mbps : bandwidths) {
      plot(context, "Get:Scan", "gets %", "% of Gets, the rest Scans", mbps, scans);
      plot(context, "Read:write", "reads %", "% of reads, the rest Puts", mbps, writes);
    }
  }

  private static List<Comparison> measure(
      ScenarioContext context,
      YcsbTable table,
      int readPercent,
      int getPercent,
      String seed,
      List<Integer> bandwidths)
      throws IOException {
    Keys keys = Keys.zipfian(table.shape().rows());
    List<Variant> variants =
        Variant.modes(
            context.options().modes(),
            mode ->
                new MixedLoad(
                    table,
                    keys,
                    readPercent / 100.0,
                    getPercent / 100.0,
                    MEAN_SCAN_ROWS,
                    mode,
                    context.options().seed()));
    Alternation alternation = context.alternation(context.driver());
    context.warmUp(
        readPercent + " % reads, " + getPercent + " % of them Gets", alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : bandwidths) {
      Point point =
          Point.uncapped()
              .with("reads %", readPercent)
              .with("gets %", getPercent)
              .at(mbps)
              .seed(seed);
      comparisons.add(context.measure(alternation, point, variants));
    }
    return comparisons;
  }

  private static void plot(
      ScenarioContext context,
      String title,
      String parameter,
      String xLabel,
      int mbps,
      List<Comparison> all) {
    List<Comparison> comparisons = all.stream().filter(c -> c.point().mbps() == mbps).toList();
    context
        .results()
        .plot(
            Plots.byParameter(
                title + ", " + comparisons.get(0).point().cap(),
                parameter,
                xLabel,
                "rows/s",
                Plots.ROWS_PER_SECOND,
                comparisons));
  }
}
