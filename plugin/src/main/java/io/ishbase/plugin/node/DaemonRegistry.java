package io.ishbase.plugin.node;

import static java.util.Objects.requireNonNull;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.Closeable;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what is registered below a znode and tells who is there after each change. A registration
 * that is not sound is as good as none.
 */
final class DaemonRegistry implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonRegistry.class);

  private final CuratorFramework zooKeeper;
  private final CuratorCache cache;
  private final String parent;
  private final Consumer<List<StorageNode>> listener;

  /** By path; guarded by this. */
  private final Map<String, StorageNode> nodes = new TreeMap<>();

  /** Paths of those that are not sound, of which the log knows; guarded by this. */
  private final Set<String> ignored = new HashSet<>();

  /** Whether all that was there at first is known; guarded by this. */
  private boolean isComplete;

  /**
   * {@code listener} is called on ZooKeeper's event thread, with the daemons in the order of their
   * names: it must not wait.
   */
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
                .forAll((type, before, after) -> changed(before, after))
                .forInitialized(this::complete)
                .build());
    cache.start();
  }

  private synchronized void complete() {
    isComplete = true;
    listener.accept(List.copyOf(nodes.values()));
  }

  private synchronized void changed(@Nullable ChildData before, @Nullable ChildData after) {
    ChildData child = after == null ? requireNonNull(before, "neither before nor after") : after;
    if (child.getPath().length() <= parent.length()) {
      return;
    }
    StorageNode known = nodes.get(child.getPath());
    StorageNode node = after == null ? null : parse(after, known);
    if (after == null) {
      ignored.remove(child.getPath());
    }
    if (node == null) {
      nodes.remove(child.getPath());
    } else {
      nodes.put(child.getPath(), node);
    }
    if (isComplete && (node != null || known != null)) {
      listener.accept(List.copyOf(nodes.values()));
    }
  }

  /** Null: it is to be ignored. */
  private @Nullable StorageNode parse(ChildData child, @Nullable StorageNode known) {
    try {
      return parse(child.getPath().substring(parent.length() + 1), child.getData(), known);
    } catch (IllegalArgumentException e) {
      if (ignored.add(child.getPath())) {
        LOG.warn("Ignored the registration {} in ZooKeeper: {}", child.getPath(), e.getMessage());
      }
      return null;
    }
  }

  /**
   * Who registered with {@code data} under {@code name}.
   *
   * @param data null: a znode has none
   * @param known the same as it was registered before, or null
   * @throws IllegalArgumentException if nobody did who can be used; the message says why
   */
  static StorageNode parse(String name, byte @Nullable [] data, @Nullable StorageNode known) {
    DaemonInfo info;
    try {
      info = DaemonInfo.parseFrom(data == null ? new byte[0] : data);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("it is none", e);
    }
    String fault =
        info.getVersion() == Protocol.VERSION
            ? Registration.fault(name, info)
            : "it speaks protocol version "
                + info.getVersion()
                + ", not "
                + Protocol.VERSION
                + ": upgrade the older side";
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
    return StorageNode.of(info, known);
  }

  @Override
  public void close() {
    cache.close();
    zooKeeper.close();
  }
}
