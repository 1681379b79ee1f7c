package io.ishbase.plugin.node;

import io.ishbase.protocol.ZooKeeperClients;
import java.io.Closeable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.TreeCache;
import org.apache.curator.framework.recipes.cache.TreeCacheEvent;
import org.apache.hadoop.conf.Configuration;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;

/**
 * Follows what is registered below a znode and tells who is there after each change. By {@code
 * TreeCache}, since Curator 4, which HBase 2.6.1 has, lacks {@code CuratorCache}.
 */
final class DaemonRegistry implements Closeable {
  private static final int LOOKUPS_AT_ONCE = 2;

  private final CuratorFramework zooKeeper;
  private final TreeCache cache;
  private final String parent;
  private final Registrations registrations;

  /** Names are looked up here: ZooKeeper's one thread has the news of all others to bring. */
  private final ExecutorService lookups =
      Executors.newFixedThreadPool(
          LOOKUPS_AT_ONCE,
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-lookup-%d").build());

  /**
   * {@code listener} is called with the daemons in the order of their names, by one thread at a
   * time: it must not wait.
   */
  DaemonRegistry(Configuration conf, String parent, Consumer<List<StorageNode>> listener) {
    this.parent = parent;
    this.registrations =
        new Registrations(
            StorageNode::resolve,
            lookups,
            (task, delay) ->
                CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, lookups)
                    .execute(task),
            listener);
    zooKeeper = ZooKeeperClients.ofServer(conf).build();
    zooKeeper.start();
    // Without its data: what counts of it the registrations keep, and the rest may be anything.
    cache = TreeCache.newBuilder(zooKeeper, parent).setCacheData(false).setMaxDepth(1).build();
    cache.getListenable().addListener((client, event) -> heard(event));
    try {
      cache.start();
    } catch (Exception e) {
      throw new IllegalStateException("It has not begun yet", e);
    }
  }

  private void heard(TreeCacheEvent event) {
    switch (event.getType()) {
      case NODE_ADDED, NODE_UPDATED, NODE_REMOVED -> changed(event);
      case INITIALIZED -> registrations.complete();
      default -> {
        // The connection: what changed meanwhile is told when it is there again.
      }
    }
  }

  private void changed(TreeCacheEvent event) {
    ChildData child = event.getData();
    if (child.getPath().length() <= parent.length()) {
      return;
    }
    String name = child.getPath().substring(parent.length() + 1);
    if (event.getType() == TreeCacheEvent.Type.NODE_REMOVED) {
      registrations.removed(name);
    } else {
      registrations.changed(name, child.getData());
    }
  }

  /** Whether all that is registered has been told. */
  boolean isSettled() {
    return registrations.isSettled();
  }

  /** How many bytes of registrations ZooKeeper's client keeps. */
  long cachedBytes() {
    Map<String, ChildData> children = cache.getCurrentChildren(parent);
    return children == null
        ? 0
        : children.values().stream()
            .mapToLong(child -> child.getData() == null ? 0 : child.getData().length)
            .sum();
  }

  @Override
  public void close() {
    cache.close();
    zooKeeper.close();
    lookups.shutdownNow();
  }
}
