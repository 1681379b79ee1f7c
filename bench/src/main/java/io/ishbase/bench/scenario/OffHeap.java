package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Load;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.NumberedTable.Returned;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code off-heap}: reads of data that are cached whole: in blocks on the heap and off it, and in
 * the segment cache. Each variant has a region server of its own in the same cluster, all with
 * equal heaps, and a table of its own with the same rows, kept at that server.
 */
final class OffHeap implements Scenario {
  private static final String SEGMENTS = "segment cache";
  private static final String SINGLE = "single Gets";
  private static final int KINDS_OF_READS = 4;
  private static final int GETS = 100;
  private static final int SCAN_ROWS = 10_000;
  private static final long BUCKET_SPARE_MB = 64;

  /** Where a variant reads from, and the table it reads. */
  private record Cache(String variant, Mode mode, NumberedTable table, RegionServerJmx server) {}

  /** A kind of read. */
  private record Reads(String name, String seed, Function<Cache, Load> load) {}

  @Override
  public String name() {
    return "off-heap";
  }

  @Override
  public String description() {
    return "Reads of cached data: heap, off-heap BucketCache, segment cache";
  }

  @Override
  public String seedFigures() {
    return "001, Performance Results";
  }

  private static long rows(BenchOptions options) {
    return options.rows() > 0 ? options.rows() : options.preset(40_000L, 300_000L);
  }

  private static NumberedTable.Shape shape(String name, BenchOptions options) {
    return NumberedTable.Shape.usual(name, rows(options));
  }

  private static List<Integer> threads(BenchOptions options) {
    return options.threads() > 0
        ? List.of(options.threads())
        : options.preset(List.of(5, 25, 75), List.of(5, 10, 20, 25, 50, 75));
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    ClusterNeeds needs = ClusterNeeds.holding(shape("", options).bytes());
    ClusterNeeds.RegionServer onHeap = needs.regionServers().get(0);
    long bucketMb = (onHeap.blockCacheBytes() >> 20) + BUCKET_SPARE_MB;
    ClusterNeeds.RegionServer offHeap =
        onHeap
            .with("hbase.bucketcache.ioengine", "offheap")
            .with("hbase.bucketcache.size", bucketMb)
            .withFlag("-XX:MaxDirectMemorySize=" + (bucketMb + 512) + "m");
    ClusterNeeds.RegionServer segments =
        onHeap
            .with("ishbase.cache.bytes", onHeap.blockCacheBytes())
            .withFlag("-XX:MaxDirectMemorySize=" + (bucketMb + 512) + "m");
    return needs.withRegionServers(List.of(onHeap, offHeap, segments));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int windows = KINDS_OF_READS * threads(options).size() * 3 * options.roundsOrPreset();
    return 20
        + 3 * rows(options) / 8000.0
        + 3 * options.firstWarmUp().toSeconds()
        + options.secondsOf(windows);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("rows of each table", rows(options));
    context
        .results()
        .note(
            "GC is that of the variant's region server; that of the daemons, which filled the segment"
                + " cache, is not counted.");
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      List<Cache> caches = new ArrayList<>();
      for (String variant : List.of("on-heap LRU", "off-heap BucketCache", SEGMENTS)) {
        caches.add(load(context, placement, admin, variant, caches.size()));
      }
      List<Reads> reads =
          List.of(
              new Reads(
                  SINGLE, "", cache -> cache.table.gets(cache.mode, "uniform", options.seed())),
              new Reads(
                  "multi-get of " + GETS,
                  "the off-heap read path against copies on the heap: 55 to 82 % less time for 100 Gets at once, 2 to 5.6 times the throughput",
                  cache -> cache.table.multiGets(cache.mode, GETS, options.seed())),
              new Reads(
                  "scan of " + SCAN_ROWS + ", 10 % returned",
                  "the off-heap read path against copies on the heap: 28 to 39 % less latency",
                  cache ->
                      cache.table.scans(
                          cache.mode, SCAN_ROWS, Returned.TENTH, "uniform", options.seed())),
              new Reads(
                  "scan of " + SCAN_ROWS + ", nothing returned",
                  "",
                  cache ->
                      cache.table.scans(
                          cache.mode, SCAN_ROWS, Returned.NONE, "uniform", options.seed())));
      for (Reads each : reads) {
        compare(context, caches, each);
      }
    }
  }

  /** Loads a table, moves it to the variant's region server and reads it into the cache. */
  private static Cache load(
      ScenarioContext context, Placement placement, Admin admin, String variant, int number)
      throws IOException {
    Mode mode = variant.equals(SEGMENTS) ? Mode.IN_STORAGE : Mode.STOCK;
    NumberedTable table =
        new NumberedTable(context.connection(), shape("cached_" + (number + 1), context.options()));
    table.create();
    ServerName server = placement.server(context.cluster().regionServers().get(number));
    placement.place(table.name(), List.of(server));
    table.fill();
    table.readAll(mode);
    return new Cache(variant, mode, table, RegionServerJmx.of(admin, server));
  }

  private static void compare(ScenarioContext context, List<Cache> caches, Reads reads)
      throws IOException {
    List<Variant> variants =
        caches.stream()
            .map(
                cache ->
                    new Variant(
                        cache.variant, reads.load.apply(cache), cache.server::garbageCollection))
            .toList();
    List<Comparison> comparisons = new ArrayList<>();
    for (int threads : threads(context.options())) {
      Alternation alternation = context.alternation(context.driver(threads));
      if (comparisons.isEmpty()) {
        context.warmUp(reads.name, alternation, variants);
      }
      Point point =
          Point.uncapped()
              .with("reads", reads.name)
              .with("threads", threads)
              .seed(reads.seed)
              .target(reads.name.equals(SINGLE) ? "" : "to the better 1.2");
      comparisons.add(
          context.measure(
              alternation,
              point,
              variants,
              Map.of(
                  "to the better",
                  OffHeap::toTheBetter,
                  "GC ms/s",
                  OffHeap::gcMillis,
                  "ms/GC pause",
                  OffHeap::pauseMillis)));
    }
    context
        .results()
        .plot(
            Plots.byParameter(
                "Rows a second, " + reads.name,
                "threads",
                "client threads",
                "rows/s",
                Plots.ROWS_PER_SECOND,
                comparisons));
    context
        .results()
        .plot(
            Plots.byParameter(
                "Garbage collection, " + reads.name,
                "threads",
                "client threads",
                "ms of GC each second",
                OffHeap::gcMillis,
                comparisons));
  }

  /** Throughput divided by that of the faster of HBase's caches. */
  private static double toTheBetter(Comparison comparison, String variant) {
    double better =
        comparison.variants().stream()
            .filter(one -> !one.equals(SEGMENTS))
            .mapToDouble(one -> comparison.median(one, Sample::perSecond))
            .max()
            .orElseThrow();
    return comparison.median(variant, Sample::perSecond) / better;
  }

  /** Milliseconds of garbage collection in each second. */
  private static double gcMillis(Comparison comparison, String variant) {
    Sample all = comparison.all(variant);
    return all.counters().get("GC ms") / all.seconds();
  }

  /** Mean length of a pause; 0 if there was none. */
  private static double pauseMillis(Comparison comparison, String variant) {
    Map<String, Double> counters = comparison.all(variant).counters();
    double pauses = counters.get("GC pauses");
    return pauses == 0 ? 0 : counters.get("GC ms") / pauses;
  }
}
