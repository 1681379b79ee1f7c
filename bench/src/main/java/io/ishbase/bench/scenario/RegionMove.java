package io.ishbase.bench.scenario;

import io.ishbase.bench.Placement;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.cluster.ClusterNeeds;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;

/** {@code region-move}: to another region server, which fetches what was hot. */
final class RegionMove extends HotRegion {
  @Override
  public String name() {
    return "region-move";
  }

  @Override
  public String description() {
    return "Gets of hot rows while their region moves: how soon the cache is warm again";
  }

  @Override
  List<String> variants() {
    return List.of("not pre-warmed", "pre-warmed");
  }

  @Override
  String target() {
    return "0.9 after 10 s for each GB";
  }

  @Override
  List<ClusterNeeds.RegionServer> servers(ClusterNeeds.RegionServer caching) {
    return List.of(caching, caching);
  }

  @Override
  ServerName reopen(ScenarioContext context, Placement placement, TableName table)
      throws IOException {
    ServerName second = placement.server(context.cluster().regionServers().get(1));
    placement.place(table, List.of(second));
    return second;
  }
}
