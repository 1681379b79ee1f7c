package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.MixedLoad;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.ScanLoad;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What it costs to have the plug-in loaded and everything stock: a region server without any class
 * of ours beside one with all of them, each with a table of its own and a link of its own.
 */
final class PluginOff implements Scenario {
  private static final List<Integer> BANDWIDTHS = List.of(128, 0);
  private static final int SCAN_ROWS = 100;
  private static final int LOADS = 3;
  private static final List<String> NAMES = List.of("without plug-in", "plug-in, all stock");

  @Override
  public String name() {
    return "plugin-off";
  }

  @Override
  public String description() {
    return "Reads and puts of HBase without any class of ours, and with the plug-in but all stock";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    ClusterNeeds needs = ClusterNeeds.usual(options.rowsOrPreset());
    RegionServer with = needs.regionServers().get(0);
    RegionServer without =
        with.with("hbase.hregion.impl", "org.apache.hadoop.hbase.regionserver.HRegion")
            .with(
                "hbase.hstore.defaultengine.compactor.class",
                "org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor");
    return needs.withRegionServers(List.of(without, with));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + options.rowsOrPreset() * 2e-4
        + 2 * LOADS * options.firstWarmUp().toSeconds()
        + options.secondsOf(2 * LOADS * BANDWIDTHS.size() * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    Keys keys = Keys.uniform(options.usualTable().rows());
    try (Placement placement = new Placement(context.connection())) {
      List<YcsbTable> tables = oneEach(context, placement, "off");
      for (Map.Entry<String, Function<YcsbTable, Load>> load : loads(options, keys).entrySet()) {
        List<Variant> variants = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
          variants.add(Variant.of(NAMES.get(i), load.getValue().apply(tables.get(i))));
        }
        Alternation alternation = context.alternation(context.driver());
        context.warmUp(load.getKey(), alternation, variants);
        for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
          Point point = Point.uncapped().with("load", load.getKey()).at(mbps).target("ratio 0.99");
          context.measure(alternation, point, variants);
        }
      }
    }
  }

  /** Tables of the same rows, one kept at each region server. */
  static List<YcsbTable> oneEach(ScenarioContext context, Placement placement, String name)
      throws IOException {
    YcsbTable.Shape usual = context.options().usualTable();
    List<YcsbTable> tables = new ArrayList<>();
    for (String address : context.cluster().regionServers()) {
      YcsbTable table =
          YcsbTable.shared(
              context, new YcsbTable.Shape(name + tables.size(), usual.rows(), usual.format()));
      placement.place(table.name(), List.of(placement.server(address)));
      tables.add(table);
    }
    return tables;
  }

  /** Puts last: what they write is on top of what the others read. */
  static Map<String, Function<YcsbTable, Load>> loads(BenchOptions options, Keys keys) {
    Map<String, Function<YcsbTable, Load>> loads = reads(options, keys, Mode.STOCK);
    loads.put("puts", table -> new MixedLoad(table, keys, 0, 0, 1, Mode.STOCK, options.seed()));
    return loads;
  }

  /** Gets, and scans of 100 rows unless those ask for too much at once. */
  static Map<String, Function<YcsbTable, Load>> reads(BenchOptions options, Keys keys, Mode mode) {
    Map<String, Function<YcsbTable, Load>> reads = new LinkedHashMap<>();
    long seed = options.seed();
    reads.put("Gets", table -> new GetLoad(table, keys, 1, mode, seed));
    if (options.table().canReadAtOnce(SCAN_ROWS)) {
      reads.put("scans of " + SCAN_ROWS, table -> new ScanLoad(table, keys, SCAN_ROWS, mode, seed));
    }
    return reads;
  }
}
