package io.ishbase.plugin.node;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;

/** Follows what is registered below a znode and tells who is there after each change. */
final class DaemonRegistry implements Closeable {
  private static final int LOOKUPS_AT_ONCE = 2;

  private final CuratorFramework zooKeeper;
  private final CuratorCache cache;
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
    this.registrations = new Registrations(StorageNode::resolve, lookups, listener);
    int sessionMillis =
        conf.getInt(HConstants.ZK_SESSION_TIMEOUT, HConstants.DEFAULT_ZK_SESSION_TIMEOUT);
    zooKeeper =
        CuratorFrameworkFactory.newClient(
            ZKConfig.getZKQuorumServersString(conf),
            sessionMillis,
            Math.min(15_000, sessionMillis),
            new BoundedExponentialBackoffRetry(100, 5_000, 29));
    zooKeeper.start();
    // Without its data: what counts of it the registrations keep, and the rest may be anything.
    cache =
        CuratorCache.builder(zooKeeper, parent)
            .withStorage(CuratorCacheStorage.dataNotCached())
            .build();
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forAll((type, before, after) -> changed(before, after))
                .forInitialized(registrations::complete)
                .build());
    cache.start();
  }

  private void changed(@Nullable ChildData before, @Nullable ChildData after) {
    ChildData child = after == null ? requireNonNull(before, "neither before nor after") : after;
    if (child.getPath().length() <= parent.length()) {
      return;
    }
    String name = child.getPath().substring(parent.length() + 1);
    if (after == null) {
      registrations.removed(name);
    } else {
      registrations.changed(name, after.getData());
    }
  }

  /** How many bytes of registrations ZooKeeper's client keeps. */
  long cachedBytes() {
    return cache.stream()
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
