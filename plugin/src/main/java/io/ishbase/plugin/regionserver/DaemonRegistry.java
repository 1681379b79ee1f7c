package io.ishbase.plugin.regionserver;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows what is registered below a znode and tells who is there after each change. */
final class DaemonRegistry implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonRegistry.class);

  private final CuratorFramework zooKeeper;
  private final CuratorCache cache;
  private final String parent;
  private final Consumer<List<StorageNode>> listener;

  /** {@code listener} is called on ZooKeeper's event thread: it must not wait. */
  DaemonRegistry(Configuration conf, String parent, Consumer<List<StorageNode>> listener) {
    this.listener = listener;
    this.parent = parent;
    int sessionMillis =
        conf.getInt(HConstants.ZK_SESSION_TIMEOUT, HConstants.DEFAULT_ZK_SESSION_TIMEOUT);
    zooKeeper =
        CuratorFrameworkFactory.newClient(
            ZKConfig.getZKQuorumServersString(conf),
            sessionMillis,
            Math.min(15_000, sessionMillis),
            new BoundedExponentialBackoffRetry(100, 5_000, 29));
    zooKeeper.start();
    cache = CuratorCache.build(zooKeeper, parent);
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forAll((type, before, after) -> publish())
                .forInitialized(this::publish)
                .build());
    cache.start();
  }

  private void publish() {
    List<StorageNode> nodes = new ArrayList<>();
    cache.stream()
        .filter(child -> child.getPath().length() > parent.length())
        .forEach(child -> add(nodes, child));
    listener.accept(nodes);
  }

  private static void add(List<StorageNode> nodes, ChildData child) {
    try {
      DaemonInfo info = DaemonInfo.parseFrom(child.getData());
      if (info.getVersion() == Protocol.VERSION) {
        nodes.add(StorageNode.of(info));
      } else {
        LOG.warn(
            "Storage daemon {} speaks protocol version {}, not {}: upgrade the older side",
            child.getPath(),
            info.getVersion(),
            Protocol.VERSION);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Unreadable registration {}", child.getPath(), e);
    }
  }

  @Override
  public void close() {
    cache.close();
    zooKeeper.close();
  }
}
