package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.Caches.Cache;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code cache-file}: Zipfian Gets of far more rows than fit in memory, through HBase's BucketCache
 * in a file, and through the segment cache with one of the same size and without. Each has a region
 * server and a table of its own.
 */
final class CachesOnDisk implements Scenario {
  private static final double MEMORY_SHARE = 0.02;
  private static final int MEMORY_TO_DISK = 10;
  private static final int VALUE_BYTES = 1000;
  private static final List<Integer> MBPS = List.of(0, 128);

  private static final String BUCKETS = "BucketCache in a file";
  private static final String FILED = Caches.SEGMENTS + " and a file";

  /** The best that each could do with memory alone. */
  private static final List<String> NAMES = List.of(BUCKETS, FILED, Caches.SEGMENTS);

  @Override
  public String name() {
    return "cache-file";
  }

  @Override
  public String description() {
    return "Zipfian Gets through caches in a file, ten times as large as the memory";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  private static NumberedTable.Shape shape(String cache, BenchOptions options) {
    long rows = options.rows() > 0 ? options.rows() : options.preset(200_000L, 2_000_000L);
    return NumberedTable.Shape.usual("on_disk_" + cache.replaceAll("[^A-Za-z]+", "_"), rows)
        .withValueBytes(VALUE_BYTES)
        .in(options.table());
  }

  private static long memoryBytes(BenchOptions options) {
    return Math.max(Caches.LEAST_BYTES, (long) (MEMORY_SHARE * shape("", options).bytes()));
  }

  private static long fileBytes(BenchOptions options) {
    return MEMORY_TO_DISK * memoryBytes(options);
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.usual(options.rowsOrPreset())
        .withRegionServers(NAMES.stream().map(name -> server(name, options)).toList());
  }

  private static ClusterNeeds.RegionServer server(String name, BenchOptions options) {
    long memory = memoryBytes(options);
    return switch (name) {
      case BUCKETS ->
          ClusterNeeds.RegionServer.caching(memory)
              .with("hbase.bucketcache.ioengine", "file:${java.io.tmpdir}/blocks")
              .with("hbase.bucketcache.size", fileBytes(options) / 1048576.0)
              .with("hbase.bucketcache.bucket.sizes", "66560")
              .withFlag("-XX:MaxDirectMemorySize=1g");
      case FILED ->
          Caches.server(Caches.SEGMENTS, memory)
              .with("ishbase.cache.file", "${java.io.tmpdir}/rows")
              .with("ishbase.cache.file.bytes", fileBytes(options));
      default -> Caches.server(name, memory);
    };
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + 2L * NAMES.size() * shape("", options).rows() / 8000.0
        + 3L * NAMES.size() * options.warmUp().toSeconds()
        + options.secondsOf(NAMES.size() * (2 + mbps(options).size()) * options.roundsOrPreset());
  }

  private static List<Integer> mbps(BenchOptions options) {
    return options.bandwidths().isEmpty() ? MBPS : options.bandwidths();
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("bytes of memory of each cache", memoryBytes(options));
    context.results().fact("bytes of each file", fileBytes(options));
    context
        .results()
        .note(
            "The files lie in the kernel's page cache for the most part: this compares what the"
                + " caches do, not disks. BucketCache has as much memory on the heap, for indexes.");
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      List<Cache> caches = new ArrayList<>();
      for (String name : NAMES) {
        caches.add(
            Caches.load(context, placement, admin, shape(name, options), name, caches.size()));
      }
      compare(context, caches);
    }
  }

  private static void compare(ScenarioContext context, List<Cache> caches) throws IOException {
    List<Variant> variants =
        caches.stream()
            .map(
                cache ->
                    new Variant(
                        cache.name(),
                        cache.table().gets(cache.mode(), "zipfian", context.options().seed()),
                        cache.server()::storageReads))
            .toList();
    Alternation alternation = context.alternation(context.driver());
    for (int i = 0; i < 3; i++) {
      context.warmUp("Zipfian Gets", alternation, variants);
    }
    for (int mbps : context.bandwidths(MBPS, MBPS)) {
      measure(context, alternation, Point.uncapped().at(mbps), variants);
    }
    Alternation atOnce = alternation.withLeadIn(Duration.ZERO);
    measure(
        context,
        atOnce.preparedBy(
            variant ->
                MajorCompaction.run(
                    context.connection(), Caches.named(caches, variant).table().name())),
        Point.uncapped().with("after", "a major compaction"),
        variants);
    measure(
        context,
        atOnce.preparedBy(
            variant -> {
              NumberedTable table = Caches.named(caches, variant).table();
              table.rewriteEach(10);
              Tables.flush(context.connection(), table.name());
            }),
        Point.uncapped().with("after", "a flush of a tenth of the rows"),
        variants);
  }

  private static void measure(
      ScenarioContext context, Alternation alternation, Point point, List<Variant> variants)
      throws IOException {
    context.measure(
        alternation, point, variants, Map.of("storage reads/Get", Caches::storageReads));
  }
}
