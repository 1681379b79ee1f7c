package io.ishbase.it.metamorphic;

import io.ishbase.it.FaultyProxy;
import io.ishbase.it.MiniCluster;
import io.ishbase.it.ProxiedDaemons;
import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.compaction.OffloadingMobCompactor;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;

/**
 * A cluster in this JVM whose region servers differ: one is stock HBase, the others have the
 * plug-in, each with settings of its own; daemons behind proxies that fail on demand.
 */
final class Rig implements AutoCloseable {
  /** The region server without the plug-in. */
  static final String STOCK = "stock";

  /** For what the cluster is asked to do. */
  static final int PATIENCE_SECONDS = 60;

  private final int nodes;
  private final boolean readsAtRegions;
  private final MiniCluster cluster;
  private final ProxiedDaemons daemons;
  private final Map<String, Map<String, String>> settings;
  private final Map<String, ServerName> servers = new LinkedHashMap<>();
  private final List<StorageNodes> views = new ArrayList<>();

  private Rig(OperationFile file, boolean readsAtRegions) throws Exception {
    this.readsAtRegions = readsAtRegions;
    nodes = file.nodes();
    settings = new LinkedHashMap<>();
    settings.put(OperationFile.PLAIN, Map.of());
    settings.putAll(file.servers());
    cluster = MiniCluster.start(nodes, Rig::configure);
    cluster.util().getAdmin().balancerSwitch(false, true);
    servers.put(STOCK, cluster.util().getMiniHBaseCluster().getRegionServer(0).getServerName());
    daemons = ProxiedDaemons.start(cluster);
    int number = 0;
    for (Map.Entry<String, Map<String, String>> server : settings.entrySet()) {
      start(server.getKey(), server.getValue(), ++number);
    }
  }

  /**
   * @param readsAtRegions whether most Gets and scans are done at the regions, not by a client
   */
  static Rig start(OperationFile file, boolean readsAtRegions) throws Exception {
    return new Rig(file, readsAtRegions);
  }

  boolean readsAtRegions() {
    return readsAtRegions;
  }

  private static void configure(Configuration conf) {
    // The first region server, and the master, are stock.
    conf.unset("hbase.hregion.impl");
    conf.setLong("hbase.hregion.max.filesize", 10L << 30);
    // Where a filter throws the client asks again in vain; all else is there when it is asked for.
    conf.setInt("hbase.client.retries.number", 8);
    conf.setInt("hbase.client.pause", 10);
    // Longer than a busy machine takes: a bulk load that is retried does not find its files.
    conf.setInt("hbase.rpc.timeout", 100_000);
    conf.setInt("hbase.client.scanner.timeout.period", 100_000);
    // Blocks smaller than 1 KB, so that small files have many.
    conf.setBoolean("hbase.table.sanity.checks", false);
    conf.setInt("hbase.regionserver.handler.count", 6);
    conf.set("hbase.master.loadbalancer.class", Placement.class.getName());
  }

  /** Starts a region server that has the plug-in. */
  private void start(String name, Map<String, String> own, int number) throws Exception {
    Configuration shared = cluster.util().getMiniHBaseCluster().getConfiguration();
    Map<String, String> site = new LinkedHashMap<>();
    site.put("hbase.hregion.impl", "io.ishbase.plugin.regionserver.InStorageRegion");
    site.put("hbase.hstore.defaultengine.compactor.class", OffloadingCompactor.class.getName());
    site.put("hbase.hstore.mobengine.compactor.class", OffloadingMobCompactor.class.getName());
    site.put("ishbase.compaction.min.bytes", "0");
    // Faults last as long as operations of the file, not as somebody's patience.
    site.put("ishbase.rpc.timeout", "1000");
    site.put("ishbase.compaction.lease", "2000");
    site.put("ishbase.compaction.patience", "500");
    site.put("ishbase.cache.bytes", "8388608");
    site.put("ishbase.verify.share", "0");
    site.put("hbase.regionserver.storefile.refresh.period", "500");
    // What servers of a process share they share by how they name ZooKeeper: each in another way.
    site.put(HConstants.ZOOKEEPER_QUORUM, "localhost" + ",localhost".repeat(number));
    site.putAll(own);
    if (own.containsKey("ishbase.cache.file.bytes")) {
      // No two servers share one.
      site.put("ishbase.cache.file", cluster.util().getDataTestDir(name + "-rows").toString());
    }
    Map<String, String> before = new LinkedHashMap<>();
    site.forEach(
        (key, value) -> {
          before.put(key, shared.get(key));
          shared.set(key, value);
        });
    Configuration conf;
    try {
      conf = new Configuration(shared);
      servers.put(
          name,
          cluster
              .util()
              .getMiniHBaseCluster()
              .startRegionServerAndWait(PATIENCE_SECONDS * 1000L)
              .getRegionServer()
              .getServerName());
    } finally {
      before.forEach(
          (key, value) -> {
            if (value == null) {
              shared.unset(key);
            } else {
              shared.set(key, value);
            }
          });
    }
    StorageNodes view = StorageNodes.of(conf);
    views.add(view);
    MiniCluster.await("the daemons, at " + name, () -> view.answering().size() == nodes);
  }

  /** Whether what a file needs is there: its servers and storage nodes. */
  boolean suits(OperationFile file) {
    return file.nodes() == nodes
        && file.servers().entrySet().stream()
            .allMatch(each -> each.getValue().equals(settings.get(each.getKey())));
  }

  ServerName serverName(String server) {
    ServerName name = servers.get(server);
    if (name == null) {
      throw new IllegalArgumentException("There is no server " + server);
    }
    return name;
  }

  /** The server with the plug-in that comes after another. */
  String after(String server) {
    List<String> names = List.copyOf(settings.keySet());
    return names.get((names.indexOf(server) + 1) % names.size());
  }

  /** Whether it is one that {@link #fault} does. */
  static boolean isFault(Line line) {
    return line.verb().equals("fault") || line.verb().equals("heal");
  }

  /**
   * {@code fault NODE MODE}: from now on the line from the daemon of that number, from 0, to region
   * servers is what {@link FaultyProxy.Mode} says, or, {@code STOP}, the daemon is gone. {@code
   * heal}: all is well again, and nobody remembers what failed.
   *
   * @return whether it is one of the two
   */
  boolean fault(Line line) throws IOException {
    switch (line.verb()) {
      case "fault" -> {
        int node = Integer.parseInt(line.word(0)) % nodes;
        if (line.word(1).equals("STOP")) {
          daemons.stop(node);
        } else {
          daemons.set(node, FaultyProxy.Mode.valueOf(line.word(1)));
        }
      }
      case "heal" -> heal();
      default -> {
        return false;
      }
    }
    return true;
  }

  void heal() throws IOException {
    daemons.set(FaultyProxy.Mode.PASS);
    daemons.startAll();
    views.forEach(view -> view.health().forgetFailures());
  }

  MiniCluster cluster() {
    return cluster;
  }

  @Override
  public void close() throws Exception {
    daemons.close();
    cluster.close();
  }
}
