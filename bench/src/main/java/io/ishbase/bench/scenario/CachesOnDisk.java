package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.scenario.Caches.Cache;
import io.ishbase.cluster.ClusterNeeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
          Caches.buckets(memory, fileBytes(options), Caches.BUCKET_OF_A_BLOCK)
              .with("hbase.bucketcache.ioengine", "file:${java.io.tmpdir}/blocks");
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
    List<Variant> variants = Caches.variants(context, caches);
    Alternation alternation = context.alternation(context.driver());
    for (int i = 0; i < 3; i++) {
      context.warmUp("Zipfian Gets", alternation, variants);
    }
    for (int mbps : context.bandwidths(MBPS, MBPS)) {
      Caches.measure(context, alternation, Point.uncapped().at(mbps), variants);
    }
    Caches.measureAfterChanges(context, alternation, Point.uncapped(), caches, variants);
  }
}
