package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Variant;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.io.compress.Compression;

/**
 * {@code cache}: Zipfian Gets through HBase's block caches and through the segment cache, all of
 * one size. Each has a region server of its own in the same cluster, and a table of its own with
 * the same rows, kept at that server.
 */
final class Caches implements Scenario {
  private static final double CACHED_SHARE = 0.1;
  private static final int SMALL_ROWS_PER_ROW = 8;

  /** A BucketCache is no smaller, and a segment cache that is much smaller is none. */
  static final long LEAST_BYTES = 1 << 20;

  /** For what HBase keeps on the heap where the data is cached elsewhere: indexes, hbase:meta. */
  private static final long SMALL_BLOCK_CACHE = 4 << 20;

  private static final List<Integer> FULL = List.of(0, 512, 128, 32);

  static final String SEGMENTS = "segment cache";
  private static final String BUCKETS = "BucketCache";
  private static final String OPEN_SEGMENTS = "segment cache, open";
  private static final String COMPRESSED = "compressed ";
  private static final String COMPRESSED_BUCKETS = COMPRESSED + BUCKETS;
  private static final List<String> NAMES =
      List.of("LRU", "TinyLFU", "AdaptiveLRU", BUCKETS, SEGMENTS);
  private static final List<String> NAMES_OF_COMPRESSED =
      List.of(
          COMPRESSED + "LRU",
          COMPRESSED + "TinyLFU",
          BUCKETS,
          COMPRESSED_BUCKETS,
          OPEN_SEGMENTS,
          SEGMENTS);

  /** Sizes of compressed blocks for which there is room, as parts of the mean by estimate. */
  private static final List<Double> BUCKET_SIZES = List.of(0.7, 0.85, 1.0, 1.2, 1.5);

  /** Bytes of a cached block beside those of its data, about. */
  private static final int BLOCK_OVERHEAD = 128;

  private static final int BUCKET_SIZE_UNIT = 256;

  /** Of 64 KB. */
  static final String BUCKET_OF_A_BLOCK = "66560";

  /** A cache, the table that is read through it, and its region server. */
  record Cache(String name, NumberedTable table, RegionServerJmx server) {
    Mode mode() {
      return name.startsWith(SEGMENTS) ? Mode.IN_STORAGE : Mode.STOCK;
    }
  }

  @Override
  public String name() {
    return "cache";
  }

  @Override
  public String description() {
    return "Zipfian Gets through HBase's caches and the segment cache, of one size";
  }

  @Override
  public String seedFigures() {
    return "003 fig. 20, 23, 24, 28 (simulated)";
  }

  private static List<String> names(BenchOptions options) {
    return options.table().codec() == Compression.Algorithm.NONE ? NAMES : NAMES_OF_COMPRESSED;
  }

  private static List<Integer> valueBytes(BenchOptions options) {
    // Whoever names a table wants to know of that one.
    return options.table().equals(TableFormat.PLAIN) ? List.of(1000, 64) : List.of(1000);
  }

  private static NumberedTable.Shape shape(int valueBytes, String cache, BenchOptions options) {
    long wanted = options.rows() > 0 ? options.rows() : options.preset(60_000L, 500_000L);
    long rows = options.table().rowsLike(wanted);
    String name = "through_" + cache.replaceAll("[^A-Za-z]+", "_") + "_" + valueBytes;
    return NumberedTable.Shape.usual(name, valueBytes == 1000 ? rows : rows * SMALL_ROWS_PER_ROW)
        .withValueBytes(valueBytes)
        .in(options.table());
  }

  private static long cacheBytes(BenchOptions options) {
    return Math.max(LEAST_BYTES, (long) (CACHED_SHARE * shape(1000, "", options).bytes()));
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    long bytes = cacheBytes(options);
    List<ClusterNeeds.RegionServer> servers = new ArrayList<>();
    for (String name : names(options)) {
      servers.add(
          name.equals(COMPRESSED_BUCKETS)
              ? compressedBuckets(bytes, shape(1000, "", options))
              : server(name, bytes));
    }
    // The daemons' memory is the storage nodes', for all variants but HBase's through the kernel.
    return ClusterNeeds.usual(options.rowsOrPreset()).withRegionServers(servers);
  }

  /** A region server with the cache of that name. */
  static ClusterNeeds.RegionServer server(String name, long bytes) {
    return switch (name) {
      case SEGMENTS ->
          ClusterNeeds.RegionServer.caching(SMALL_BLOCK_CACHE).with("ishbase.cache.bytes", bytes);
      case BUCKETS -> buckets(SMALL_BLOCK_CACHE, bytes, BUCKET_OF_A_BLOCK);
      case OPEN_SEGMENTS -> server(SEGMENTS, bytes).with("ishbase.cache.compression", "none");
      default -> {
        boolean compressed = name.startsWith(COMPRESSED);
        String policy = compressed ? name.substring(COMPRESSED.length()) : name;
        yield ClusterNeeds.RegionServer.caching(bytes)
            .with("hfile.block.cache.policy", policy)
            .with("hbase.block.data.cachecompressed", compressed);
      }
    };
  }

  /** The sizes are parts of the cache; each needs room for four blocks of the largest size. */
  static ClusterNeeds.RegionServer buckets(long onHeapBytes, long bytes, String sizes) {
    return ClusterNeeds.RegionServer.caching(onHeapBytes)
        .with("hbase.bucketcache.ioengine", "offheap")
        .with("hbase.bucketcache.size", bytes / 1048576.0)
        .with("hbase.bucketcache.bucket.sizes", sizes)
        .withFlag("-XX:MaxDirectMemorySize=1g");
  }

  /** Blocks as they lie in the files, in buckets of about their sizes. */
  private static ClusterNeeds.RegionServer compressedBuckets(
      long bytes, NumberedTable.Shape shape) {
    double blockBytes = shape.format().blockBytes() * (double) shape.bytes() / shape.cellBytes();
    String sizes =
        BUCKET_SIZES.stream()
            .map(part -> (part * blockBytes + BLOCK_OVERHEAD) / BUCKET_SIZE_UNIT)
            .map(units -> Long.toString((long) Math.ceil(units) * BUCKET_SIZE_UNIT))
            .distinct()
            .collect(Collectors.joining(","));
    return buckets(SMALL_BLOCK_CACHE, bytes, sizes).with("hbase.block.data.cachecompressed", true);
  }

  private static List<Integer> small(int valueBytes) {
    return valueBytes == 1000 ? FULL : List.of(0, 32);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int points = 2;
    for (int each : valueBytes(options)) {
      points +=
          options.bandwidths().isEmpty()
              ? options.preset(small(each), FULL).size()
              : options.bandwidths().size();
    }
    return 20
        + 2L * names(options).size() * shape(1000, "", options).rows() / 8000.0
        + 4L * names(options).size() * options.warmUp().toSeconds()
        + options.secondsOf(names(options).size() * points * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("bytes of each cache", cacheBytes(options));
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      for (int valueBytes : valueBytes(options)) {
        List<Cache> caches = new ArrayList<>();
        for (String name : names(options)) {
          caches.add(
              load(
                  context,
                  placement,
                  admin,
                  shape(valueBytes, name, options),
                  name,
                  caches.size()));
        }
        compare(context, caches, valueBytes);
        for (Cache cache : caches) {
          admin.disableTable(cache.table.name());
          admin.deleteTable(cache.table.name());
        }
      }
    }
  }

  /** Loads a table at the region server of that number. */
  static Cache load(
      ScenarioContext context,
      Placement placement,
      Admin admin,
      NumberedTable.Shape shape,
      String name,
      int number)
      throws IOException {
    NumberedTable table = new NumberedTable(context.connection(), shape);
    table.create();
    ServerName server = placement.server(context.cluster().regionServers().get(number));
    placement.place(table.name(), List.of(server));
    table.fill();
    return new Cache(name, table, RegionServerJmx.of(admin, server));
  }

  /** Zipfian Gets through each. */
  static List<Variant> variants(ScenarioContext context, List<Cache> caches) {
    return caches.stream()
        .map(
            cache ->
                new Variant(
                    cache.name,
                    cache.table.gets(cache.mode(), "zipfian", context.options().seed()),
                    cache.server::storageReads))
        .toList();
  }

  private static void compare(ScenarioContext context, List<Cache> caches, int valueBytes)
      throws IOException {
    List<Variant> variants = variants(context, caches);
    Alternation alternation = context.alternation(context.driver());
    // Uncapped, so that every cache is full of what is popular before the first window.
    context.warmUp("Zipfian Gets of " + valueBytes + " B", alternation, variants);
    context.warmUp("Zipfian Gets of " + valueBytes + " B", alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : context.bandwidths(small(valueBytes), FULL)) {
      Point point = Point.uncapped().with("value bytes", valueBytes).at(mbps);
      comparisons.add(measure(context, alternation, point, variants));
    }
    if (valueBytes == 1000) {
      RowsHeld.addTo(
          context.results(),
          // A BucketCache counts blocks that found no room, too.
          caches.stream().filter(cache -> !cache.name.endsWith(BUCKETS)).toList(),
          "Zipfian Gets",
          cacheBytes(context.options()),
          context.options().table().codec() == Compression.Algorithm.NONE ? "" : "ratio 1.0");
      Point point = Point.uncapped().with("value bytes", valueBytes);
      measureAfterChanges(context, alternation, point, caches, variants);
    }
    context
        .results()
        .plot(
            Plots.byBandwidth(
                "Zipfian Gets, " + valueBytes + " B values",
                "Gets/s",
                Plots.PER_SECOND,
                true,
                comparisons));
  }

  /** Right after files have changed. */
  static void measureAfterChanges(
      ScenarioContext context,
      Alternation alternation,
      Point point,
      List<Cache> caches,
      List<Variant> variants)
      throws IOException {
    Alternation atOnce = alternation.withLeadIn(Duration.ZERO);
    measure(
        context,
        atOnce.preparedBy(variant -> compact(context, named(caches, variant))),
        point.with("after", "a major compaction"),
        variants);
    measure(
        context,
        atOnce.preparedBy(variant -> update(context, named(caches, variant))),
        point.with("after", "a flush of a tenth of the rows"),
        variants);
  }

  static Comparison measure(
      ScenarioContext context, Alternation alternation, Point point, List<Variant> variants)
      throws IOException {
    return context.measure(
        alternation, point, variants, Map.of("storage reads/Get", Caches::storageReads));
  }

  private static Cache named(List<Cache> caches, Variant variant) {
    return caches.stream()
        .filter(cache -> cache.name.equals(variant.name()))
        .findFirst()
        .orElseThrow();
  }

  private static void compact(ScenarioContext context, Cache cache) throws IOException {
    MajorCompaction.run(context.connection(), cache.table.name());
  }

  private static void update(ScenarioContext context, Cache cache) throws IOException {
    cache.table.rewriteEach(10);
    Tables.flush(context.connection(), cache.table.name());
  }

  static double storageReads(Comparison comparison, String variant) {
    Sample all = comparison.all(variant);
    return all.counters().get("storage reads") / all.operations();
  }
}
