package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Order;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Variant;
import io.ishbase.cluster.NetworkRig.Traffic;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code memstore}: HBase's in-memory compaction policies, and ours, under writes. Each window
 * writes to a table of its own that holds every row once, and lasts until the last flush and
 * compaction is over, so that what it caused is counted with it.
 */
final class Memstore implements Scenario {
  private static final String HFILE_MB = "HFile MB";
  private static final String AUTO = "auto";

  /** HBase's policies, and the one that finds out what pays. */
  private static final List<String> VARIANTS =
      Stream.concat(
              Stream.of(MemoryCompactionPolicy.values()).map(MemoryCompactionPolicy::name),
              Stream.of(AUTO))
          .toList();

  /** How much is written. */
  private record Size(long rows, int valueBytes, long operations, long flushBytes, int rounds) {}

  @Override
  public String name() {
    return "memstore";
  }

  @Override
  public String description() {
    return "Writes by HBase's in-memory compaction policies and by ishbase.memstore = auto";
  }

  @Override
  public String seedFigures() {
    return "002, Performance Gains";
  }

  private static Size size(BenchOptions options) {
    Size preset =
        options.preset(
            new Size(20_000, 1000, 120_000, 16L << 20, 1),
            new Size(200_000, 1000, 1_000_000, 128L << 20, 3));
    long rows = options.rows() > 0 ? options.rows() : preset.rows;
    return new Size(
        rows,
        preset.valueBytes,
        options.rows() > 0 ? 2 * rows : preset.operations,
        preset.flushBytes,
        options.rounds() > 0 ? options.rounds() : preset.rounds);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    Size size = size(options);
    double windows = (4.0 * size.rounds + 1) * VARIANTS.size();
    return 10 + windows * (4.5 + (size.rows / 3.0 + size.operations) / 12_000);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    Size size = size(context.options());
    context.results().fact("rows", size.rows);
    context.results().fact("value bytes", size.valueBytes);
    context.results().fact("operations of a window", size.operations);
    context.results().fact("flush size, bytes", size.flushBytes);
    context
        .results()
        .note(
            "Write amplification: bytes of HFiles, flushed and compacted, for each byte of cells that"
                + " clients wrote.");
    List<Comparison> comparisons = new ArrayList<>();
    try (Admin admin = context.connection().getAdmin()) {
      RegionServerJmx server =
          RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      for (int readPercent : List.of(0, 50)) {
        for (String distribution : List.of("zipfian", "uniform")) {
          if (comparisons.isEmpty()) {
            // For the JVM's compilers alone.
            round(context, size, server, VARIANTS, readPercent, distribution, "warming up, ");
          }
          comparisons.add(compare(context, size, server, readPercent, distribution));
        }
      }
    }
    plot(context, comparisons, "Operations a second", "operations/s", Plots.PER_SECOND);
    plot(
        context,
        comparisons,
        "HFile write amplification",
        "HFile bytes/user byte",
        (comparison, variant) -> comparison.median(variant, Memstore::amplification));
  }

  private static void plot(
      ScenarioContext context,
      List<Comparison> comparisons,
      String title,
      String yLabel,
      Plots.Figure figure) {
    context
        .results()
        .plot(
            Plots.bars(
                title,
                yLabel,
                comparison ->
                    comparison.point().parameters().get("load")
                        + ", "
                        + comparison.point().parameters().get("keys"),
                figure,
                comparisons));
  }

  private static double amplification(Sample sample) {
    return 1e6 * sample.counters().get(HFILE_MB) / sample.written().cellBytes();
  }

  private static Comparison compare(
      ScenarioContext context,
      Size size,
      RegionServerJmx server,
      int readPercent,
      String distribution)
      throws IOException {
    Point point =
        Point.uncapped()
            .with("load", readPercent == 0 ? "writes" : 100 - readPercent + " % writes")
            .with("keys", distribution)
            .seed(seed(readPercent, distribution));
    Comparison comparison = new Comparison(point, VARIANTS);
    for (int round = 0; round < size.rounds; round++) {
      comparison.addRound(
          round(
              context,
              size,
              server,
              Order.ofRound(round, VARIANTS),
              readPercent,
              distribution,
              point + ", "));
    }
    comparison.addTo(
        context.results(),
        Map.of("HFiles/written", (each, variant) -> each.median(variant, Memstore::amplification)));
    return comparison;
  }

  /** A window of each policy. */
  private static Map<String, Sample> round(
      ScenarioContext context,
      Size size,
      RegionServerJmx server,
      List<String> order,
      int readPercent,
      String distribution,
      String words)
      throws IOException {
    Map<String, Sample> samples = new LinkedHashMap<>();
    for (String policy : order) {
      samples.put(
          policy, window(context, size, server, policy, readPercent, distribution, words + policy));
    }
    return samples;
  }

  /** One window: a fresh table with all rows, writes, and then what they left to do. */
  private static Sample window(
      ScenarioContext context,
      Size size,
      RegionServerJmx server,
      String policy,
      int readPercent,
      String distribution,
      String words)
      throws IOException {
    NumberedTable table =
        new NumberedTable(
            context.connection(),
            new NumberedTable.Shape(
                "memstore",
                size.rows,
                size.valueBytes,
                1,
                policy.equals(AUTO) ? null : MemoryCompactionPolicy.valueOf(policy),
                size.flushBytes,
                policy.equals(AUTO) ? Map.of("ishbase.memstore", AUTO) : Map.of(),
                TableFormat.PLAIN,
                false));
    table.create();
    table.fill();
    try (Progress progress = new Progress(words, 0)) {
      Map<String, Double> before = settled(server);
      Traffic traffic = context.rig().traffic();
      LoadDriver driver = context.driver();
      Sample written =
          driver.run(
              Variant.of(policy, table.writes(readPercent, distribution, context.options().seed())),
              Duration.ZERO,
              Span.ofOperations(size.operations));
      progress.note("flush");
      Tables.flush(context.connection(), table.name());
      Map<String, Double> after = settled(server);
      Sample sample =
          new Sample(
              written.seconds(),
              written.latency(),
              written.byKind(),
              written.read(),
              written.written(),
              context.rig().traffic().since(traffic),
              grown(before, after));
      progress.done(
          String.format(
              Locale.ROOT,
              "%.0f/s, %.2f HFile bytes/byte",
              sample.perSecond(),
              amplification(sample)));
      return sample;
    }
  }

  private static Map<String, Double> grown(Map<String, Double> before, Map<String, Double> after) {
    Map<String, Double> grown = new TreeMap<>();
    after.forEach((name, value) -> grown.put(name, value - before.get(name)));
    return grown;
  }

  /** The server's counters once they stand still. */
  private static Map<String, Double> settled(RegionServerJmx server) throws IOException {
    Map<String, Double> last = Settled.of(server::writes);
    Map<String, Double> counters = new TreeMap<>(server.garbageCollection());
    counters.put("flushes", last.get("flushes"));
    counters.put(HFILE_MB, (last.get("flushed bytes") + last.get("compacted bytes")) / 1e6);
    return counters;
  }

  private static String seed(int readPercent, String distribution) {
    if (readPercent > 0) {
      return distribution.equals("zipfian")
          ? "tail read latency 12 % lower"
          : "tail read latency not impacted";
    }
    return distribution.equals("zipfian")
        ? "up to 30 % less write amplification, 20 % more throughput, 22 % less GC"
        : "up to 25 % less write amplification, 50 % more throughput, 36 % less GC";
  }
}
