package io.ishbase.plugin.node;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
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
 * <p>Names are looked up again and again, since a name server may fail for a while, and a DataNode
 * may come back at another address.
 *
 * <p>All fields that change are guarded by this. The listener is called under it, by whoever brings
 * the news.
 */
final class Registrations {
  private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);

  /** A name that could not be looked up is tried again. */
  static final Duration SOON = Duration.ofSeconds(10);

  /** One that could is looked up again: it may have another address. */
  static final Duration AGAIN = Duration.ofMinutes(5);

  private final UnaryOperator<String> resolver;
  private final Executor lookups;
  private final BiConsumer<Runnable, Duration> later;
  private final Consumer<List<StorageNode>> listener;
  private final Map<String, StorageNode> byName = new TreeMap<>();

  /** What was last said by those whose DataNode goes by a name. */
  private final Map<String, DaemonInfo> named = new HashMap<>();

  /** Of those the look-up that is under way or due later; any other is out of date. */
  private final Map<String, LookUp> lookUps = new HashMap<>();

  /** The DataNode of the znode {@code name} is looked up, again and again. By identity. */
  private final class LookUp implements Runnable {
    private final String name;
    private final String dataNode;

    LookUp(String name, String dataNode) {
      this.name = name;
      this.dataNode = dataNode;
    }

    @Override
    public void run() {
      lookUp(this);
    }
  }

  /** Names of those that are not sound, of which the log knows. */
  private final Set<String> ignored = new HashSet<>();

  /** DataNodes whose names could not be looked up, of which the log knows. */
  private final Set<String> nameless = new HashSet<>();

  /** Whether all that was there at first is known. */
  private boolean isComplete;

  /**
   * @param resolver makes {@code host:port} the same with an IP address; gives it back if it cannot
   * @param lookups runs it where it may wait
   * @param later has something run as {@code lookups} does when so much time has passed
   * @param listener gets all, in the order of their names, after each change; must not wait
   */
  Registrations(
      UnaryOperator<String> resolver,
      Executor lookups,
      BiConsumer<Runnable, Duration> later,
      Consumer<List<StorageNode>> listener) {
    this.resolver = resolver;
    this.lookups = lookups;
    this.later = later;
    this.listener = listener;
  }

  /** All that was there at first has been told. */
  synchronized void complete() {
    isComplete = true;
    tell();
  }

  /** Whether all that is registered has been told. */
  synchronized boolean isSettled() {
    return isComplete && byName.keySet().containsAll(named.keySet());
  }

  /** The znode {@code name} is gone. */
  synchronized void removed(String name) {
    ignored.remove(name);
    forgetName(name);
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
      forgetName(name);
      if (byName.remove(name) != null) {
        tell();
      }
      return;
    }
    String dataNode = info.getDatanode();
    if (!StorageNode.needsLookup(dataNode)) {
      forgetName(name);
      byName.put(name, StorageNode.of(info, StorageNode.resolve(dataNode)));
      tell();
      return;
    }
    named.put(name, info);
    StorageNode known = byName.get(name);
    if (known != null && known.dataNode().equals(dataNode)) {
      byName.put(name, StorageNode.of(info, known.dataNodeIp()));
      tell();
    }
    LookUp begun = lookUps.get(name);
    if (begun == null || !begun.dataNode.equals(dataNode)) {
      LookUp lookUp = new LookUp(name, dataNode);
      lookUps.put(name, lookUp);
      lookups.execute(lookUp);
    }
  }

  private void forgetName(String name) {
    named.remove(name);
    lookUps.remove(name);
  }

  private synchronized boolean isCurrent(LookUp lookUp) {
    return lookUps.get(lookUp.name) == lookUp;
  }

  private void lookUp(LookUp lookUp) {
    if (!isCurrent(lookUp)) {
      return;
    }
    String name = lookUp.name;
    String dataNode = lookUp.dataNode;
    String ip = resolved(dataNode);
    boolean isFound = !StorageNode.needsLookup(ip);
    synchronized (this) {
      if (isFound) {
        nameless.remove(dataNode);
      } else if (nameless.add(dataNode)) {
        LOG.warn(
            "The name of DataNode {} cannot be looked up: its daemon is not asked first for the files"
                + " that lie there, until it can",
            dataNode);
      }
      DaemonInfo now = named.get(name);
      if (now == null || !isCurrent(lookUp)) {
        return;
      }
      StorageNode known = byName.get(name);
      if (known == null
          || !known.dataNode().equals(dataNode)
          || isFound && !known.dataNodeIp().equals(ip)) {
        byName.put(name, StorageNode.of(now, ip));
        tell();
      }
      later.accept(lookUp, isFound ? AGAIN : SOON);
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
