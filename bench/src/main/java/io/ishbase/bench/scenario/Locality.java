package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.YcsbTable;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.List;

/**
 * {@code locality}: a region server that stands beside the DataNode and the daemon that have its
 * blocks, and one that stands alone.
 */
final class Locality implements Scenario {
  private static final List<Integer> BANDWIDTHS = List.of(1000, 0);
  private static final List<String> NAMES = List.of("away", "beside its blocks");

  /** Storage node of the one, which writes its blocks there. */
  private static final int NODE = 1;

  private static final int LOADS = 4;

  @Override
  public String name() {
    return "locality";
  }

  @Override
  public String description() {
    return "Reads of a region server beside its blocks, and of one that has none of its own";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    // Nothing but HDFS chooses where blocks are: where the writer is, if that is a DataNode.
    ClusterNeeds needs =
        ClusterNeeds.usual(options.rowsOrPreset()).with("ishbase.placement", false);
    RegionServer away = needs.regionServers().get(0);
    RegionServer beside =
        away.beside(NODE)
            .with("dfs.client.read.shortcircuit", true)
            .with("dfs.client.use.legacy.blockreader.local", true);
    return needs.withRegionServers(List.of(away, beside));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int variants = LOADS * NAMES.size();
    return 30
        + options.rowsOrPreset() * 2e-4
        + variants * (double) options.firstWarmUp().toSeconds()
        + options.secondsOf(variants * BANDWIDTHS.size() * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    if (!context.rig().canCap()) {
      throw new IOException(
          "locality needs network namespaces: without them both region servers stand beside all"
              + " blocks");
    }
    BenchOptions options = context.options();
    try (Placement placement = new Placement(context.connection())) {
      SameRows tables = SameRows.atEachServer(context, placement, "local", NAMES);
      for (YcsbTable table : tables.tables().values()) {
        MajorCompaction.run(context.connection(), table.name());
      }
      for (Mode mode : options.modes()) {
        Point point = Point.uncapped().with("read", mode);
        tables.compare(
            SameRows.reads(options, mode),
            context.bandwidths(BANDWIDTHS, BANDWIDTHS),
            mode == Mode.STOCK ? point : point.target("ratio at most 1.05"));
      }
    }
  }
}
