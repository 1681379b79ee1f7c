package io.ishbase.bench.scenario;

import io.ishbase.bench.Placement;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;

/** {@code restart}: a region server ends and starts again, and has its regions back. */
final class RestartInPlace extends HotRegion {
  @Override
  public String name() {
    return "restart";
  }

  @Override
  public String description() {
    return "Gets of hot rows while their region server restarts: what it still has in its cache";
  }

  @Override
  List<String> variants() {
    return List.of("nothing is kept", "kept in a directory");
  }

  @Override
  String target() {
    return "0.95 after 5 s";
  }

  /** One, so that regions wait for it. What it leaves there it takes away when it is back. */
  @Override
  List<ClusterNeeds.RegionServer> servers(ClusterNeeds.RegionServer caching) {
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "ishbase-restart-" + ProcessHandle.current().pid());
    directory.toFile().deleteOnExit();
    return List.of(caching.with("ishbase.cache.restart.directory", directory));
  }

  @Override
  ServerName reopen(ScenarioContext context, Placement placement, TableName table)
      throws IOException {
    ClusterServer server = context.cluster().server(ClusterServer.Kind.REGION_SERVER, 1);
    server.end();
    server.start();
    server.awaitServing();
    ServerName again = placement.server(context.cluster().regionServers().get(0));
    placement.await(table, again);
    return again;
  }
}
