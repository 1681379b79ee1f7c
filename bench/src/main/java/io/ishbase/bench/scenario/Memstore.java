package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Order;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.memstore.Script;
import io.ishbase.bench.memstore.Workload;
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
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Table;

/**
 * {@code memstore}: HBase's in-memory compaction policies, and ours, under writes. Each window
 * writes to a table of its own, and lasts until the last flush and compaction is over, so that what
 * it caused is counted with it.
 */
final class Memstore implements Scenario {
  private static final List<String> VARIANTS = MemstoreTable.POLICIES;

  /** Those whose code differs most. */
  private static final List<String> WARMED_UP = List.of("NONE", "EAGER", MemstoreTable.AUTO);

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

  @Override
  public List<String> workloads() {
    return Workload.ids();
  }

  private static Workload.Size size(BenchOptions options) {
    return options.rows() > 0
        ? Workload.Size.of(options.rows())
        : options.preset(
            Workload.Size.of(15_000),
            new Workload.Size(200_000, 1000, 1_000_000, 600_000, 128L << 20));
  }

  private static int rounds(BenchOptions options) {
    return options.rounds() > 0 ? options.rounds() : options.preset(1, 4);
  }

  private static List<Workload> workloads(BenchOptions options) {
    return Workload.of(options.workloads());
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    Workload.Size size = size(options);
    double seconds = WARMED_UP.size() * secondsOf(size, size.operations());
    for (Workload workload : workloads(options)) {
      seconds += VARIANTS.size() * rounds(options) * secondsOf(size, workload.operations(size));
    }
    return 10 + seconds;
  }

  private static double secondsOf(Workload.Size size, long operations) {
    return 4.5 + (size.rows() / 3.0 + operations) / 15_000;
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    Workload.Size size = size(options);
    context.results().fact("rows", size.rows());
    context.results().fact("value bytes", size.valueBytes());
    context.results().fact("operations of a window", size.operations());
    context.results().fact("operations of each turn where loads change", size.turnOperations());
    context.results().fact("flush size, bytes", size.flushBytes());
    context.results().fact("windows for each variant and row", rounds(options));
    context.results().fact("seconds of a window", "as its operations take");
    context
        .results()
        .note(
            "Write amplification: bytes of HFiles, flushed and compacted, for each byte of cells that"
                + " clients wrote.");
    List<Workload> workloads = workloads(options);
    try (Admin admin = context.connection().getAdmin()) {
      RegionServerJmx server =
          RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      for (String policy : WARMED_UP) {
        // For the JVM's compilers alone.
        window(
            context,
            server,
            policy,
            Workload.warmUp(workloads, size, options.seed()),
            size.operations(),
            size.flushBytes(),
            "warming up, ");
      }
      List<Comparison> comparisons = new ArrayList<>();
      for (Workload workload : workloads) {
        comparisons.add(compare(context, size, server, workload, comparisons.size()));
      }
      MemstoreFigures.plot(context.results(), comparisons);
    }
  }

  /**
   * Measures a workload.
   *
   * @param place among the workloads: of two neighbours, each begins with the other's last policy
   */
  private static Comparison compare(
      ScenarioContext context,
      Workload.Size size,
      RegionServerJmx server,
      Workload workload,
      int place)
      throws IOException {
    Point point = Point.uncapped().with("load", workload.id()).seed(workload.seedWords());
    Comparison comparison = new Comparison(point, VARIANTS);
    for (int round = 0; round < rounds(context.options()); round++) {
      Map<String, Sample> samples = new LinkedHashMap<>();
      for (String policy : Order.ofRound(place + round, VARIANTS)) {
        samples.put(
            policy,
            window(
                context,
                server,
                policy,
                workload.script(size, context.options().seed()),
                workload.operations(size),
                workload.flushBytes(size),
                point + ", "));
      }
      comparison.addRound(samples);
    }
    MemstoreFigures.addTo(context.results(), workload, comparison);
    return comparison;
  }

  /** One window: a fresh table, writes, and then what they left to do. */
  private static Sample window(
      ScenarioContext context,
      RegionServerJmx server,
      String policy,
      Script script,
      long operations,
      long flushBytes,
      String words)
      throws IOException {
    MemstoreTable table = new MemstoreTable(context.connection());
    table.create(policy, flushBytes);
    table.fill(script);
    try (Progress progress = new Progress(words + policy, 0)) {
      Map<String, Double> before = settled(server);
      Traffic traffic = context.rig().traffic();
      Sample written =
          context
              .driver()
              .run(
                  Variant.of(policy, table.load(script)),
                  Duration.ZERO,
                  Span.ofOperations(operations));
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
      try (Table open = table.open()) {
        script.check(open);
      }
      progress.done(
          String.format(
              Locale.ROOT,
              "%.0f/s, %.2f HFile bytes/byte",
              sample.perSecond(),
              MemstoreFigures.amplification(sample)));
      return sample;
    }
  }

  private static Map<String, Double> grown(Map<String, Double> before, Map<String, Double> after) {
    Map<String, Double> grown = new TreeMap<>();
    // What a server counts of its regions goes with them.
    after.forEach((name, value) -> grown.put(name, Math.max(0, value - before.get(name))));
    return grown;
  }

  /** The server's counters once they stand still. */
  private static Map<String, Double> settled(RegionServerJmx server) throws IOException {
    Map<String, Double> last = Settled.of(server::writes);
    Map<String, Double> counters = new TreeMap<>(server.garbageCollection());
    counters.putAll(server.stalls());
    counters.put(MemstoreFigures.FLUSHES, last.get("flushes"));
    counters.put(MemstoreFigures.FLUSHED_MB, last.get("flushed bytes") / 1e6);
    counters.put(MemstoreFigures.COMPACTED_MB, last.get("compacted bytes") / 1e6);
    return counters;
  }
}
