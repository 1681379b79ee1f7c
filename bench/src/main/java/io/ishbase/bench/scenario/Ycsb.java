package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbLoad;
import io.ishbase.bench.YcsbTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The six workloads of YCSB's core package. */
final class Ycsb implements Scenario {
  private static final int FIELDS = 10;
  private static final int FIELD_BYTES = 100;
  private static final List<Integer> SMALL = List.of(128, 0);
  private static final List<Integer> FULL = List.of(32, 128, 512, 0);

  /** As YCSB defines them, in the order in which YCSB says to run them: E, which inserts, last. */
  private static final Map<String, Map<String, String>> WORKLOADS = new LinkedHashMap<>();

  static {
    WORKLOADS.put("A", of("zipfian", "read", "0.5", "update", "0.5"));
    WORKLOADS.put("B", of("zipfian", "read", "0.95", "update", "0.05"));
    WORKLOADS.put("C", of("zipfian", "read", "1", "update", "0"));
    WORKLOADS.put("F", of("zipfian", "read", "0.5", "readmodifywrite", "0.5"));
    WORKLOADS.put("D", of("latest", "read", "0.95", "insert", "0.05"));
    WORKLOADS.put("E", of("zipfian", "scan", "0.95", "insert", "0.05"));
  }

  private static Map<String, String> of(
      String distribution, String one, String share, String other, String otherShare) {
    return Map.of(
        "requestdistribution",
        distribution,
        one + "proportion",
        share,
        other + "proportion",
        otherShare,
        "maxscanlength",
        "100");
  }

  @Override
  public String name() {
    return "ycsb";
  }

  @Override
  public String description() {
    return "YCSB's core workloads A to F, rows of 10 fields of 100 B";
  }

  @Override
  public String seedFigures() {
    return "none; a standard";
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int bandwidths =
        options.bandwidths().isEmpty()
            ? options.preset(SMALL, FULL).size()
            : options.bandwidths().size();
    int loads = WORKLOADS.size();
    return options.rowsOrPreset() * 3e-4
        + 2L * loads * options.warmUp().toSeconds()
        + options.secondsOf(2 * options.roundsOrPreset() * loads * bandwidths);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    long rows = context.options().rowsOrPreset();
    YcsbTable table =
        new YcsbTable(
            context.connection(), new YcsbTable.Shape("ycsbtable", rows, FIELDS, FIELD_BYTES));
    table.load();
    context.results().fact("table", table.shape());
    context
        .results()
        .note(
            "Both modes write to the same table, in turn, and each workload finds what those before"
                + " it wrote. YCSB draws without a seed.");
    Alternation alternation = context.alternation(context.driver());
    AtomicLong grown = new AtomicLong(rows);
    List<Comparison> comparisons = new ArrayList<>();
    for (Map.Entry<String, Map<String, String>> workload : WORKLOADS.entrySet()) {
      List<Variant> variants =
          YcsbLoad.modes(context.options().modes(), table, workload.getValue(), grown);
      context.warmUp("workload " + workload.getKey(), alternation, variants);
      for (int mbps : context.bandwidths(SMALL, FULL)) {
        Point point = Point.uncapped().with("workload", workload.getKey()).at(mbps);
        comparisons.add(context.measure(alternation, point, variants));
      }
    }
    for (int mbps : context.bandwidths(SMALL, FULL)) {
      List<Comparison> some = comparisons.stream().filter(c -> c.point().mbps() == mbps).toList();
      context
          .results()
          .plot(
              Plots.bars(
                  "Throughput, " + Point.uncapped().at(mbps).cap(),
                  "operations/s",
                  c -> "workload " + c.point().parameters().get("workload"),
                  Plots.PER_SECOND,
                  some));
    }
  }
}
