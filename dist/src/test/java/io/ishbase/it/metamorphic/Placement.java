package io.ishbase.it.metamorphic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.HBaseIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.master.balancer.SimpleLoadBalancer;

/** Has the master, in this JVM, open each table's regions at its server. */
public final class Placement extends SimpleLoadBalancer {
  private static final Map<TableName, ServerName> SERVERS = new ConcurrentHashMap<>();

  /** From now on regions of the table are opened there. */
  static void set(TableName table, ServerName server) {
    SERVERS.put(table, server);
  }

  private static ServerName of(RegionInfo region, List<ServerName> servers) {
    ServerName server = SERVERS.get(region.getTable());
    return RegionReplicaUtil.isDefaultReplica(region) && servers.contains(server) ? server : null;
  }

  @Override
  public Map<ServerName, List<RegionInfo>> roundRobinAssignment(
      List<RegionInfo> regions, List<ServerName> servers) throws HBaseIOException {
    Map<ServerName, List<RegionInfo>> plan = new HashMap<>();
    List<RegionInfo> others = new ArrayList<>();
    for (RegionInfo region : regions) {
      ServerName server = of(region, servers);
      if (server == null) {
        others.add(region);
      } else {
        plan.computeIfAbsent(server, each -> new ArrayList<>()).add(region);
      }
    }
    if (!others.isEmpty()) {
      super.roundRobinAssignment(others, servers)
          .forEach(
              (server, more) ->
                  plan.computeIfAbsent(server, each -> new ArrayList<>()).addAll(more));
    }
    return plan;
  }

  @Override
  public ServerName randomAssignment(RegionInfo region, List<ServerName> servers)
      throws HBaseIOException {
    ServerName server = of(region, servers);
    return server == null ? super.randomAssignment(region, servers) : server;
  }
}
