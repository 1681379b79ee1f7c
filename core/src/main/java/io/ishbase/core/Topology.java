package io.ishbase.core;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * In which racks DataNodes are, and how far from this process, as far as HDFS has said so.
 * DataNodes go by their data-transfer addresses, {@code ip:port}. Thread safe.
 */
public final class Topology {
  private final Map<String, String> racks = new ConcurrentHashMap<>();
  private final Set<String> ownAddresses;
  private final Runnable changed;
  private volatile String ownRack = "";

  /**
   * @param ownAddresses of this machine, as text
   * @param changed called whenever a rack becomes known, or another
   */
  public Topology(Set<String> ownAddresses, Runnable changed) {
    this.ownAddresses = Set.copyOf(ownAddresses);
    this.changed = changed;
  }

  /** Takes note of this machine's rack; empty: it is not known. */
  public void ownRack(String rack) {
    ownRack = rack;
  }

  /**
   * Takes note of where a DataNode is.
   *
   * @param path as HDFS writes it, its rack and its address
   */
  public void learn(String dataNode, String path) {
    int end = path.lastIndexOf('/');
    if (end > 0) {
      String rack = path.substring(0, end);
      if (!rack.equals(racks.put(dataNode, rack))) {
        changed.run();
      }
    }
  }

  /** Null if it is not known. */
  public @Nullable String rack(String dataNode) {
    return racks.get(dataNode);
  }

  /** How far a DataNode is. */
  public Distance distance(String dataNode) {
    int colon = dataNode.lastIndexOf(':');
    if (colon > 0 && ownAddresses.contains(dataNode.substring(0, colon))) {
      return Distance.SAME_HOST;
    }
    String own = ownRack;
    return !own.isEmpty() && own.equals(racks.get(dataNode))
        ? Distance.SAME_RACK
        : Distance.ELSEWHERE;
  }
}
