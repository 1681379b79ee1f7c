package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import java.io.IOException;
import java.util.List;

/**
 * What it costs to have the plug-in loaded and everything stock: a region server without any class
 * of ours beside one with all of them, each with a table of its own and a link of its own.
 */
final class PluginOff implements Scenario {
  private static final List<Integer> BANDWIDTHS = List.of(128, 0);
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
    try (Placement placement = new Placement(context.connection())) {
      SameRows.atEachServer(context, placement, "off", NAMES)
          .compare(
              SameRows.loads(options),
              context.bandwidths(BANDWIDTHS, BANDWIDTHS),
              Point.uncapped().target("ratio 0.99"));
    }
  }
}
