package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code slices}: repeated reads of slices of columns, as graph databases read the edges of a
 * vertex, through HBase's block cache and through a segment cache as large. Each cache has a region
 * server and a table of its own.
 */
final class Slices implements Scenario {
  private static final String BLOCKS = "block cache";
  private static final int GETS_AT_ONCE = 20;
  private static final int VERTICES_READ_AT_ONCE = 20;
  private static final List<Integer> BANDWIDTHS = List.of(0, 128);

  /** For what HBase keeps on the heap beside the segment cache: indexes, hbase:meta. */
  private static final long SMALL_BLOCK_CACHE = 4 << 20;

  private static final long SPARE_DIRECT_BYTES = 512L << 20;

  private static final long USUAL_ROW_BYTES = 1000;

  /**
   * How large the caches are.
   *
   * @param words what they hold
   * @param share of the bytes of all cells
   * @param hits what is to be reached beside the ratio, in words
   */
  private record Size(String words, double share, String hits) {
    long bytes(BenchOptions options) {
      return Math.max(Caches.LEAST_BYTES, (long) (share * VertexTable.bytes(vertices(options))));
    }
  }

  /** Twice the bytes hold all slices in either cache, with what either keeps beside them. */
  private static final List<Size> SIZES =
      List.of(new Size("all slices", 2, ", hits 99 %"), new Size("a tenth", 0.1, ""));

  private static final List<String> NAMES = List.of(BLOCKS, Caches.SEGMENTS);

  /** A cache, the table that is read through it, and its region server. */
  private record Cache(String name, VertexTable table, RegionServerJmx server) {
    Mode mode() {
      return name.equals(BLOCKS) ? Mode.STOCK : Mode.IN_STORAGE;
    }

    Map<String, Double> counters() throws IOException {
      Map<String, Double> counters = new TreeMap<>(server.storageReads());
      Map<String, Double> cache = name.equals(BLOCKS) ? server.blockCache() : server.segmentCache();
      counters.put("hits", cache.getOrDefault("hits", 0.0));
      counters.put("misses", cache.getOrDefault("misses", 0.0));
      return counters;
    }
  }

  @Override
  public String name() {
    return "slices";
  }

  @Override
  public String description() {
    return "Repeated reads of slices of columns (10 of a vertex's 50 edges) through caches";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  private static long vertices(BenchOptions options) {
    return options.rowsOrPreset() * USUAL_ROW_BYTES / VertexTable.bytes(1);
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    List<RegionServer> servers = new ArrayList<>();
    for (Size size : SIZES) {
      long bytes = size.bytes(options);
      servers.add(RegionServer.caching(bytes));
      servers.add(
          RegionServer.caching(SMALL_BLOCK_CACHE)
              .with("ishbase.cache.bytes", bytes)
              .withFlag("-XX:MaxDirectMemorySize=" + (bytes + SPARE_DIRECT_BYTES)));
    }
    return ClusterNeeds.usual(options.rowsOrPreset()).withRegionServers(servers);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int bandwidths =
        options.bandwidths().isEmpty() ? BANDWIDTHS.size() : options.bandwidths().size();
    int kinds = 2 * SIZES.size();
    return 20
        + (double) SIZES.size() * NAMES.size() * options.rowsOrPreset() / 5000
        + (double) kinds * NAMES.size() * options.warmUp().toSeconds()
        + options.secondsOf(kinds * NAMES.size() * bandwidths * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("vertices", vertices(options));
    context.results().fact("edges of a vertex", VertexTable.EDGES);
    context
        .results()
        .note(
            "A read asks for the "
                + VertexTable.EDGES_OF_SLICE
                + " edges of one label, with a ColumnRangeFilter; every edge is checked. hits: of all"
                + " lookups of the cache, rows in the segment cache and data blocks in the block"
                + " cache, as the region server counts them. Reads that a cache is not asked for show"
                + " in storage reads.");
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      int server = 0;
      for (Size size : SIZES) {
        context.results().fact("bytes of a cache for " + size.words, size.bytes(options));
        List<Cache> caches = new ArrayList<>();
        for (String name : NAMES) {
          caches.add(load(context, placement, admin, name, server++));
        }
        compare(context, caches, size, 1);
        compare(context, caches, size, GETS_AT_ONCE);
      }
    }
  }

  /** Loads a table at the region server of that number, and reads all of it twice. */
  private static Cache load(
      ScenarioContext context, Placement placement, Admin admin, String name, int number)
      throws IOException {
    BenchOptions options = context.options();
    VertexTable table =
        new VertexTable(
            context.connection(), "vertices" + number, vertices(options), options.table());
    table.create();
    ServerName server = placement.server(context.cluster().regionServers().get(number));
    placement.place(table.name(), List.of(server));
    table.fill();
    Cache cache = new Cache(name, table, RegionServerJmx.of(admin, server));
    try (Progress progress = new Progress("reading " + table.name() + " twice", 2)) {
      for (int i = 0; i < 2; i++) {
        table.readAll(cache.mode(), VERTICES_READ_AT_ONCE);
        progress.add(1);
      }
      progress.done("");
    }
    return cache;
  }

  private static void compare(ScenarioContext context, List<Cache> caches, Size size, int batch)
      throws IOException {
    List<Variant> variants =
        caches.stream()
            .map(
                cache ->
                    new Variant(
                        cache.name,
                        cache.table.slices(cache.mode(), batch, context.options().seed()),
                        cache::counters))
            .toList();
    Alternation alternation = context.alternation(context.driver());
    String reads = batch == 1 ? "Gets" : batch + " at once";
    context.warmUp(reads + " of slices", alternation, variants);
    List<Comparison> comparisons = new ArrayList<>();
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      Point point =
          Point.uncapped()
              .with("cache holds", size.words)
              .with("reads", reads)
              .at(mbps)
              .target(mbps == 0 ? "ratio 1.2" + size.hits : "");
      comparisons.add(
          context.measure(
              alternation,
              point,
              variants,
              Map.of("hits %", Slices::hits, "storage reads/slice", (c, v) -> reads(c, v, batch))));
    }
    context
        .results()
        .plot(
            Plots.bars(
                "Slices, " + reads + ", cache holds " + size.words,
                "operations/s",
                comparison -> comparison.point().cap(),
                Plots.PER_SECOND,
                comparisons));
  }

  /** Percent of the cache's lookups that it answered; 0 if there were none. */
  private static double hits(Comparison comparison, String variant) {
    Map<String, Double> counters = comparison.all(variant).counters();
    double lookups = counters.get("hits") + counters.get("misses");
    return lookups == 0 ? 0 : 100 * counters.get("hits") / lookups;
  }

  private static double reads(Comparison comparison, String variant, int batch) {
    Sample all = comparison.all(variant);
    return all.counters().get("storage reads") / all.operations() / batch;
  }
}
