package io.ishbase.plugin.regionserver;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ishbase.core.Quarantine;
import io.ishbase.core.Reason;
import io.ishbase.core.Rendezvous;
import io.ishbase.protocol.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a region server knows of the storage nodes: which daemons live, where files lie, who is
 * quarantined. One per process and ZooKeeper ensemble.
 *
 * <p>{@code nodes} is an immutable snapshot that the registry's thread replaces; all else is
 * concurrent by itself. The regions that follow the nodes are guarded by their own monitor, under
 * which nothing of HBase is called.
 */
public final class StorageNodes {
  private static final Logger LOG = LoggerFactory.getLogger(StorageNodes.class);
  private static final Map<String, StorageNodes> INSTANCES = new ConcurrentHashMap<>();
  private static final long QUARANTINE_FIRST_MILLIS = 1_000;
  private static final long QUARANTINE_MAX_MILLIS = 60_000;

  private static volatile List<ServerName> fixed;

  private final DaemonClient client;
  private final Quarantine quarantine =
      new Quarantine(QUARANTINE_FIRST_MILLIS, QUARANTINE_MAX_MILLIS);

  /** Path to the data-transfer addresses of the DataNodes that hold the whole file. */
  private final Cache<String, List<String>> holders =
      Caffeine.newBuilder().maximumSize(100_000).expireAfterWrite(10, TimeUnit.MINUTES).build();

  private final Set<InStorageRegion> regions = Collections.newSetFromMap(new WeakHashMap<>());
  private volatile List<StorageNode> nodes = List.of();

  private StorageNodes(Configuration conf) {
    try {
      client = new DaemonClient(conf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<ServerName> daemons = fixed;
    if (daemons == null) {
      // Lives as long as the process: a region server stops only with it.
      new DaemonRegistry(conf, this::changed);
    } else {
      changed(daemons.stream().map(daemon -> new StorageNode(daemon, "", "", 0)).toList());
    }
  }

  /**
   * The storage nodes of the cluster that {@code conf} names; follows them from the first call on.
   */
  static StorageNodes of(Configuration conf) {
    String cluster =
        fixed != null
            ? "fixed"
            : ZKConfig.getZKQuorumServersString(conf) + Protocol.daemonsZNode(conf);
    return INSTANCES.computeIfAbsent(cluster, key -> new StorageNodes(conf));
  }

  /**
   * Makes the process use these daemons instead of the registry, for tests without ZooKeeper. To be
   * called before the first region opens.
   */
  public static void useFixed(List<ServerName> daemons) {
    fixed = List.copyOf(daemons);
    INSTANCES.clear();
  }

  static boolean isFixed() {
    return fixed != null;
  }

  DaemonClient client() {
    return client;
  }

  List<StorageNode> live() {
    return nodes;
  }

  /** Tells {@code region} now and after each change to choose its home. */
  void follow(InStorageRegion region) {
    synchronized (regions) {
      regions.add(region);
    }
    region.chooseHome(nodes);
  }

  private void changed(List<StorageNode> now) {
    boolean othersLive = !names(now).equals(names(nodes));
    nodes = List.copyOf(now);
    if (!othersLive) {
      return;
    }
    LOG.info("Storage daemons: {}", now);
    holders.invalidateAll();
    List<InStorageRegion> followers;
    synchronized (regions) {
      followers = new ArrayList<>(regions);
    }
    followers.forEach(region -> region.chooseHome(now));
  }

  private static Set<String> names(List<StorageNode> nodes) {
    return nodes.stream().map(StorageNode::name).collect(Collectors.toSet());
  }

  /** Whether {@code name}, a node or a path, may be used now. */
  boolean admits(String name) {
    return quarantine.admits(name, EnvironmentEdgeManager.currentTime());
  }

  /** Takes note of an answered request. */
  void succeeded(StorageNode node, List<String> paths) {
    if (quarantine.size() > 0) {
      quarantine.succeeded(node.name());
      paths.forEach(quarantine::succeeded);
    }
  }

  /**
   * Takes note of a failed request: closes the node or the files for a while, forgets locations.
   */
  void failed(StorageNode node, List<String> paths, Reason reason) {
    long now = EnvironmentEdgeManager.currentTime();
    if (reason.isFaultOfNode()) {
      quarantine.failed(node.name(), now);
      client.reconnect(node.address());
    }
    for (String path : paths) {
      holders.invalidate(path);
      if (reason.isFaultOfFile()) {
        quarantine.failed(path, now);
      }
    }
  }

  /**
   * The node that should serve the file at {@code path}, or null if there is none. Of several that
   * hold it the one in {@code preferred} wins, so that a store's files go into one request, then
   * the least loaded. A file that no live daemon holds whole is read by one that is chosen by its
   * directory: it still spares the network between storage and compute.
   */
  StorageNode nodeFor(FileSystem fs, Path path, Set<StorageNode> preferred) {
    List<StorageNode> live = nodes;
    if (live.isEmpty()) {
      return null;
    }
    List<String> addresses = holders.get(path.toUri().getPath(), key -> locate(fs, path));
    StorageNode best = null;
    for (StorageNode node : live) {
      if (addresses.contains(node.dataNodeIp())) {
        if (preferred.contains(node)) {
          return node;
        }
        if (best == null || node.loadPercent() < best.loadPercent()) {
          best = node;
        }
      }
    }
    return best != null ? best : byDirectory(path, live);
  }

  private static StorageNode byDirectory(Path path, List<StorageNode> live) {
    if (live.size() == 1) {
      return live.get(0);
    }
    Map<String, StorageNode> byName = new HashMap<>();
    live.forEach(node -> byName.put(node.name(), node));
    return byName.get(Rendezvous.order(path.getParent().toUri().getPath(), byName.keySet()).get(0));
  }

  /** Data-transfer addresses of the DataNodes that hold every block; empty if unknown or none. */
  private static List<String> locate(FileSystem fs, Path path) {
    try {
      List<String> all = null;
      for (BlockLocation block : fs.getFileBlockLocations(path, 0, Long.MAX_VALUE)) {
        List<String> names = List.of(block.getNames());
        if (all == null) {
          all = new ArrayList<>(names);
        } else {
          all.retainAll(names);
        }
      }
      return all == null ? List.of() : List.copyOf(all);
    } catch (IOException e) {
      LOG.warn("The NameNode does not say where {} lies", path, e);
      return List.of();
    }
  }
}
