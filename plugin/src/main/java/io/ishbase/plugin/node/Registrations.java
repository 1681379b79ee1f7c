package io.ishbase.plugin.node;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is registered, by the znodes that a registry sees come, change and go. A registration that is
 * not sound is as good as none. One whose DataNode goes by a name counts from when that has been
 * looked up: before, nobody could tell which files lie there, nor give a region a home that lasts.
 *
 * <p>All fields that change are guarded by this. The listener is called under it, by whoever brings
 * the news.
 */
final class Registrations {
  private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);

  private final UnaryOperator<String> resolver;
  private final Executor lookups;
  private final Consumer<List<StorageNode>> listener;
  private final Map<String, StorageNode> byName = new TreeMap<>();

  /** What was last said by those whose DataNode's name is being looked up. */
  private final Map<String, DaemonInfo> unresolved = new HashMap<>();

  /** Names of those that are not sound, of which the log knows. */
  private final Set<String> ignored = new HashSet<>();

  /** DataNodes whose names could not be looked up, of which the log knows. */
  private final Set<String> nameless = new HashSet<>();

  /** Whether all that was there at first is known. */
  private boolean isComplete;

  /**
   * @param resolver makes {@code host:port} the same with an IP address; gives it back if it cannot
   * @param lookups runs it where it may wait
   * @param listener gets all, in the order of their names, after each change; must not wait
   */
  Registrations(
      UnaryOperator<String> resolver, Executor lookups, Consumer<List<StorageNode>> listener) {
    this.resolver = resolver;
    this.lookups = lookups;
    this.listener = listener;
  }

  /** All that was there at first has been told. */
  synchronized void complete() {
    isComplete = true;
    tell();
  }

  /** The znode {@code name} is gone. */
  synchronized void removed(String name) {
    ignored.remove(name);
    unresolved.remove(name);
    if (byName.remove(name) != null) {
      tell();
    }
  }

  /**
   * The znode {@code name} has other data.
   *
   * @param data null: none
   */
  synchronized void changed(String name, byte @Nullable [] data) {
    DaemonInfo info;
    try {
      info = parse(name, data);
    } catch (IllegalArgumentException e) {
      if (ignored.add(name)) {
        LOG.warn("Ignored the registration {} in ZooKeeper: {}", name, e.getMessage());
      }
      unresolved.remove(name);
      if (byName.remove(name) != null) {
        tell();
      }
      return;
    }
    String dataNode = info.getDatanode();
    StorageNode known = byName.get(name);
    if (known != null
        && known.dataNode().equals(dataNode)
        && !StorageNode.needsLookup(known.dataNodeIp())) {
      unresolved.remove(name);
      byName.put(name, StorageNode.of(info, known.dataNodeIp()));
      tell();
    } else if (!StorageNode.needsLookup(dataNode)) {
      unresolved.remove(name);
      byName.put(name, StorageNode.of(info, StorageNode.resolve(dataNode)));
      tell();
    } else if (unresolved.put(name, info) == null) {
      lookups.execute(() -> lookUp(name, dataNode));
    }
  }

  private void lookUp(String name, String dataNode) {
    String ip = resolved(dataNode);
    synchronized (this) {
      if (!StorageNode.needsLookup(ip)) {
        nameless.remove(dataNode);
      } else if (nameless.add(dataNode)) {
        LOG.warn(
            "The name of DataNode {} cannot be looked up: its files are read over HBase's path"
                + " until it can",
            dataNode);
      }
      DaemonInfo now = unresolved.get(name);
      if (now == null) {
        return;
      }
      if (!now.getDatanode().equals(dataNode)) {
        lookups.execute(() -> lookUp(name, now.getDatanode()));
        return;
      }
      unresolved.remove(name);
      byName.put(name, StorageNode.of(now, ip));
      tell();
    }
  }

  private String resolved(String dataNode) {
    try {
      return resolver.apply(dataNode);
    } catch (RuntimeException e) {
      LOG.debug("{} is not looked up", dataNode, e);
      return dataNode;
    }
  }

  private void tell() {
    if (isComplete) {
      listener.accept(List.copyOf(byName.values()));
    }
  }

  /**
   * What was registered with {@code data} under {@code name}.
   *
   * @param data null: a znode has none
   * @throws IllegalArgumentException if it cannot be used; the message says why
   */
  static DaemonInfo parse(String name, byte @Nullable [] data) {
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
    return info;
  }
}
