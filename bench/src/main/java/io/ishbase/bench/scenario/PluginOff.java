package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What it costs to have the plug-in loaded and everything stock: a region server without any class
 * of ours beside one with all of them, each with a table of its own and a link of its own.
 */
final class PluginOff implements Scenario {
  private static final List<Integer> BANDWIDTHS = List.of(128, 0);
  private static final int SCAN_ROWS = 100;
  private static final List<String> NAMES = List.of("without plug-in", "plug-in, all stock");

  @Override
  public String name() {
    return "plugin-off";
  }

  @Override
  public String description() {
    return "Reads of HBase without any class of ours, and with the plug-in but everything stock";
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
        + 4 * options.firstWarmUp().toSeconds()
        + options.secondsOf(2 * 2 * BANDWIDTHS.size() * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    Keys keys = Keys.uniform(options.rowsOrPreset());
    try (Placement placement = new Placement(context.connection())) {
      List<YcsbTable> tables = new ArrayList<>();
      for (String address : context.cluster().regionServers()) {
        YcsbTable table =
            YcsbTable.shared(
                context,
                new YcsbTable.Shape("off" + tables.size(), options.rowsOrPreset(), 1, 1000));
        placement.place(table.name(), List.of(placement.server(address)));
        tables.add(table);
      }
      Map<String, Function<YcsbTable, Load>> loads =
          new TreeMap<>(
              Map.of(
                  "Gets",
                  table -> new GetLoad(table, keys, 1, Mode.STOCK, options.seed()),
                  "scans of " + SCAN_ROWS,
                  table -> new ScanLoad(table, keys, SCAN_ROWS, Mode.STOCK, options.seed())));
      for (Map.Entry<String, Function<YcsbTable, Load>> load : loads.entrySet()) {
        List<Variant> variants = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
          variants.add(Variant.of(NAMES.get(i), load.getValue().apply(tables.get(i))));
        }
        Alternation alternation = context.alternation(context.driver());
        context.warmUp(load.getKey(), alternation, variants);
        for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
          Point point = Point.uncapped().with("reads", load.getKey()).at(mbps).target("ratio 0.98");
          context.measure(alternation, point, variants);
        }
      }
    }
  }
}
