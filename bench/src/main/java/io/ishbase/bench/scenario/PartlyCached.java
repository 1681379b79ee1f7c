package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code partly-cached}: uniform Gets of a table of which the region server caches a part, in
 * blocks on the heap or as rows. Each cache has a region server and a table of its own, with the
 * same rows.
 */
final class PartlyCached implements Scenario {
  private static final List<Integer> PERCENTS = List.of(10, 33);
  private static final List<Integer> BANDWIDTHS = List.of(0);
  private static final String BLOCKS = "LRU";
  private static final List<String> CACHES = List.of(BLOCKS, Caches.SEGMENTS);
  private static final int VARIANTS = 3;
  private static final int WARM_UPS = 3;

  @Override
  public String name() {
    return "partly-cached";
  }

  @Override
  public String description() {
    return "Uniform Gets of a table of which a tenth and a third is cached";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  private static NumberedTable.Shape shape(BenchOptions options, String name) {
    long wanted = options.rows() > 0 ? options.rows() : options.preset(60_000L, 300_000L);
    return NumberedTable.Shape.usual(name, options.table().rowsLike(wanted)).in(options.table());
  }

  private static long cacheBytes(BenchOptions options, int percent) {
    return Math.max(Caches.LEAST_BYTES, shape(options, "").cellBytes() * percent / 100);
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    List<ClusterNeeds.RegionServer> servers = new ArrayList<>();
    for (int percent : PERCENTS) {
      for (String cache : CACHES) {
        servers.add(Caches.server(cache, cacheBytes(options, percent)));
      }
    }
    return ClusterNeeds.usual(options.rowsOrPreset()).withRegionServers(servers);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int points = options.bandwidths().isEmpty() ? BANDWIDTHS.size() : options.bandwidths().size();
    return 20
        + PERCENTS.size()
            * (CACHES.size() * shape(options, "").rows() / 8000.0
                + (long) WARM_UPS * VARIANTS * options.firstWarmUp().toSeconds()
                + options.secondsOf(VARIANTS * points * options.roundsOrPreset()));
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      int server = 0;
      for (int percent : PERCENTS) {
        context
            .results()
            .fact("bytes of a cache of " + percent + " %", cacheBytes(options, percent));
        List<Caches.Cache> caches = new ArrayList<>();
        for (String name : CACHES) {
          String table = "cached_" + percent + '_' + caches.size();
          caches.add(Caches.load(context, placement, admin, shape(options, table), name, server++));
        }
        compare(context, caches.get(0), caches.get(1), percent);
      }
    }
  }

  private static void compare(
      ScenarioContext context, Caches.Cache blocks, Caches.Cache segments, int percent)
      throws IOException {
    List<Variant> variants =
        List.of(
            gets(context, "stock", blocks, Mode.STOCK),
            gets(context, "auto", blocks, Mode.AUTO),
            gets(context, "auto, segment cache", segments, Mode.AUTO));
    Alternation alternation = context.alternation(context.driver());
    String load = "Gets, " + percent + " % cached";
    // Uncapped, so that every cache is full before the first window.
    for (int times = 0; times < WARM_UPS; times++) {
      context.warmUp(load, alternation, variants);
    }
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      context.measure(
          alternation,
          Point.uncapped()
              .with("cached %", percent)
              .at(mbps)
              .target("ratio " + (percent < 20 ? "1.3" : "1.0")),
          variants,
          Map.of("storage reads/Get", Caches::storageReads));
    }
  }

  private static Variant gets(ScenarioContext context, String name, Caches.Cache cache, Mode mode) {
    return new Variant(
        name,
        cache.table().gets(mode, "uniform", context.options().seed()),
        cache.server()::storageReads);
  }
}
