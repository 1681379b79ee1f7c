package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Load;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Row;
import io.ishbase.bench.scenario.Caches.Cache;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code cache-phases}: a load that changes its nature again and again, through HBase's block
 * caches and through the segment cache, all of one size: how soon does each adapt?
 */
final class CachePhases implements Scenario {
  private static final List<String> NAMES = List.of("LRU", "TinyLFU", Caches.SEGMENTS);
  private static final List<String> PHASES =
      List.of("Zipf", "uniform", "scans", "moving range", "Zipf again");
  private static final int MOVING = 3;
  private static final double CACHED_SHARE = 0.1;
  private static final int SMALL_MBPS = 128;
  private static final int SCAN_ROWS = 100;

  /** The range is a fiftieth of the table, and moves by half of itself with each window. */
  private static final int RANGES = 50;

  /** For what HBase keeps in the block cache where the data is cached elsewhere. */
  private static final long SMALL_BLOCK_CACHE = 4 << 20;

  /** What is cached in the segment cache after a window, in per cent of its memory. */
  private record Shares(double rows, double runs, double others) {
    static Shares of(Map<String, Double> gauges) {
      double budget = gauges.getOrDefault("budgetBytes", 0.0);
      double entries = gauges.getOrDefault("entries", 0.0);
      if (budget == 0 || entries == 0) {
        return new Shares(0, 0, 0);
      }
      double rows = 100 * gauges.get("rowBytes") / budget;
      double inRuns = gauges.get("runEntries") / entries;
      double others =
          gauges.get("columnBytes") + gauges.get("absenceBytes") + gauges.get("edgeBytes");
      return new Shares(rows * (1 - inRuns), rows * inRuns, 100 * others / budget);
    }
  }

  private record Window(double atSeconds, Sample sample, Shares shares) {}

  @Override
  public String name() {
    return "cache-phases";
  }

  @Override
  public String description() {
    return "A load that changes its nature, through HBase's caches and the segment cache";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 28 (simulated)";
  }

  private static NumberedTable.Shape shape(String cache, BenchOptions options) {
    long rows = options.rows() > 0 ? options.rows() : options.preset(40_000L, 500_000L);
    return NumberedTable.Shape.usual(
            "phases_" + cache.replace(' ', '_'), options.table().rowsLike(rows))
        .in(options.table());
  }

  private static long cacheBytes(BenchOptions options) {
    return Math.max(Caches.LEAST_BYTES, (long) (CACHED_SHARE * shape("", options).bytes()));
  }

  private static Duration window(BenchOptions options) {
    return options.seconds() > 0
        ? Duration.ofMillis(Math.round(1000 * options.seconds()))
        : options.preset(Duration.ofSeconds(1), Duration.ofSeconds(5));
  }

  private static int windowsOfPhase(BenchOptions options) {
    return options.preset(6, 24);
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    long bytes = cacheBytes(options);
    return ClusterNeeds.caching(SMALL_BLOCK_CACHE)
        .withRegionServers(NAMES.stream().map(name -> Caches.server(name, bytes)).toList());
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    double windows = (double) NAMES.size() * PHASES.size() * windowsOfPhase(options);
    return 20
        + NAMES.size() * shape("", options).rows() / 8000.0
        + NAMES.size() * options.firstWarmUp().toSeconds()
        + windows * window(options).toMillis() / 1000.0;
  }

  private static int mbps(ScenarioContext context) {
    List<Integer> wanted = context.bandwidths(List.of(SMALL_MBPS), List.of(SMALL_MBPS));
    return wanted.get(0);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    int mbps = mbps(context);
    String cap = mbps == 0 ? "uncapped" : mbps + " Mbps";
    context.results().fact("bytes of each cache", cacheBytes(options));
    context.results().fact("rows of each table", shape("", options).rows());
    context
        .results()
        .note(
            "Phases follow each other without a gap, each cache finds what the phase before left. The"
                + " moving range is a fiftieth of the table and moves by half of that each "
                + window(options).toMillis() / 1000.0
                + " s.");
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      List<Cache> caches = new ArrayList<>();
      for (String name : NAMES) {
        caches.add(
            Caches.load(context, placement, admin, shape(name, options), name, caches.size()));
      }
      context.warmUp(
          "Zipfian Gets",
          context.alternation(context.driver()),
          caches.stream()
              .map(
                  cache ->
                      Variant.of(
                          cache.name(),
                          cache.table().gets(cache.mode(), "zipfian", options.seed() + 1)))
              .toList());
      Map<String, List<Window>> windows = new LinkedHashMap<>();
      context.rig().capMbps(mbps);
      try {
        for (Cache cache : caches) {
          windows.put(cache.name(), measure(context, cache));
        }
      } finally {
        context.rig().capMbps(0);
      }
      addRows(context, windows, cap);
      addPlots(context, windows, cap);
    }
  }

  private static List<Window> measure(ScenarioContext context, Cache cache) throws IOException {
    BenchOptions options = context.options();
    int ofPhase = windowsOfPhase(options);
    int rangeRows = (int) Math.max(1, shape("", options).rows() / RANGES);
    AtomicLong rangeStart = new AtomicLong();
    Mode mode = cache.mode();
    NumberedTable table = cache.table();
    Load zipfian = table.gets(mode, "zipfian", options.seed());
    PhasedLoad load =
        new PhasedLoad(
            List.of(
                zipfian,
                table.gets(mode, "uniform", options.seed()),
                table.scans(mode, SCAN_ROWS, NumberedTable.Returned.ALL, "zipfian", options.seed()),
                table.getsOfRange(mode, rangeStart::get, rangeRows, options.seed()),
                zipfian));
    List<Window> windows = new ArrayList<>();
    try (Progress progress = new Progress("phases, " + cache.name(), 0)) {
      progress.note(PHASES.get(0));
      context.driver().stream(
          new Variant(cache.name(), load, cache.server()::storageReads),
          Duration.ZERO,
          Span.of(window(options)),
          sample -> {
            double start = windows.isEmpty() ? 0 : windows.get(windows.size() - 1).atSeconds;
            windows.add(new Window(start + sample.seconds(), sample, shares(cache)));
            int phase = windows.size() / ofPhase;
            if (phase == PHASES.size()) {
              return false;
            }
            if (phase == MOVING) {
              rangeStart.addAndGet(Math.max(1, rangeRows / 2));
            }
            load.enter(phase);
            progress.note(PHASES.get(phase));
            return true;
          });
      progress.done("");
    }
    return windows;
  }

  private static Shares shares(Cache cache) {
    try {
      return Shares.of(cache.server().segmentCache());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Sample> ofPhase(List<Window> windows, int phase) {
    int count = windows.size() / PHASES.size();
    return windows.subList(phase * count, (phase + 1) * count).stream()
        .map(Window::sample)
        .toList();
  }

  private static void addRows(
      ScenarioContext context, Map<String, List<Window>> windows, String cap) {
    List<Row> rows = new ArrayList<>();
    for (int phase = 0; phase < PHASES.size(); phase++) {
      Map<String, String> parameters = new LinkedHashMap<>();
      parameters.put("phase", PHASES.get(phase));
      parameters.put("cap", cap);
      double best = 0;
      for (Map.Entry<String, List<Window>> variant : windows.entrySet()) {
        Sample all = Sample.sum(ofPhase(variant.getValue(), phase));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("ops/s", all.perSecond());
        if (!variant.getKey().equals(Caches.SEGMENTS)) {
          best = Math.max(best, all.perSecond());
        } else {
          figures.put("ratio", all.perSecond() / best);
        }
        figures.put("mean ms", all.meanMillis());
        figures.put("p99 ms", all.millisAt(99));
        figures.put("storage reads/op", storageReads(all));
        figures.put("MB in", all.network().in() / 1e6);
        rows.add(new Row(parameters, variant.getKey(), figures, "", "", ""));
      }
    }
    context.results().note("ratio: to the better of HBase's caches in that phase.");
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("cap", cap);
    windows.forEach(
        (name, each) -> all.put(name, each.stream().map(CachePhases::figures).toList()));
    context.results().add(all, rows);
  }

  private static Map<String, Object> figures(Window window) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("at_seconds", window.atSeconds);
    figures.put("rows_percent", window.shares.rows);
    figures.put("runs_percent", window.shares.runs);
    figures.put("others_percent", window.shares.others);
    figures.putAll(window.sample.figures());
    return figures;
  }

  private static double storageReads(Sample sample) {
    return sample.operations() == 0
        ? 0
        : sample.counters().getOrDefault("storage reads", 0.0) / sample.operations();
  }

  private static void addPlots(
      ScenarioContext context, Map<String, List<Window>> windows, String cap) {
    Map<Double, String> ticks = new TreeMap<>();
    List<Window> segments = windows.get(Caches.SEGMENTS);
    for (int phase = 0; phase < PHASES.size(); phase++) {
      int first = phase * segments.size() / PHASES.size();
      ticks.put(first == 0 ? 0 : segments.get(first - 1).atSeconds, PHASES.get(phase));
    }
    context
        .results()
        .plot(
            plot("Throughput of a changing load, " + cap, "ops/s", windows, Sample::perSecond)
                .withLogY()
                .withXTicks(ticks));
    context
        .results()
        .plot(
            plot(
                    "Reads of storage per operation, mean of three windows",
                    "reads",
                    smoothed(windows),
                    CachePhases::storageReads)
                .withXTicks(ticks));
    context
        .results()
        .plot(
            Plot.lines(
                    "What the segment cache holds",
                    "",
                    "% of its memory",
                    List.of(
                        series("single rows", segments, window -> window.shares.rows),
                        series("rows in runs", segments, window -> window.shares.runs),
                        series("columns, absences", segments, window -> window.shares.others)))
                .withXTicks(ticks));
  }

  // The server's counters are older than a window's end by a part of a window.
  private static Map<String, List<Window>> smoothed(Map<String, List<Window>> windows) {
    Map<String, List<Window>> smoothed = new LinkedHashMap<>();
    windows.forEach(
        (name, each) -> {
          List<Window> means = new ArrayList<>();
          for (int i = 1; i + 1 < each.size(); i++) {
            Sample mean =
                Sample.sum(each.subList(i - 1, i + 2).stream().map(Window::sample).toList());
            means.add(new Window(each.get(i).atSeconds, mean, each.get(i).shares));
          }
          smoothed.put(name, means);
        });
    return smoothed;
  }

  private static Plot plot(
      String title,
      String yLabel,
      Map<String, List<Window>> windows,
      ToDoubleFunction<Sample> figure) {
    List<Plot.Series> series = new ArrayList<>();
    windows.forEach(
        (name, each) ->
            series.add(series(name, each, window -> figure.applyAsDouble(window.sample))));
    return Plot.lines(title, "", yLabel, series);
  }

  private static Plot.Series series(
      String name, List<Window> windows, ToDoubleFunction<Window> figure) {
    return new Plot.Series(
        name,
        windows.stream().map(Window::atSeconds).toList(),
        windows.stream().map(figure::applyAsDouble).toList());
  }
}
