package io.ishbase.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which DataNodes regions have as their homes: weighted rendezvous hashing of the region's name.
 * What a region wrote before lies where its home was then, until a compaction moves it, so homes
 * are slow to move:
 *
 * <ul>
 *   <li>A DataNode whose daemon is gone keeps its regions for ten minutes, the time of a restart.
 *   <li>The first is the home, which knows no racks. The others are chosen as HDFS places replicas:
 *       the second in another rack, and of no rack more than two, where that can be.
 *   <li>One whose daemon was much busier than most for many minutes gets half as many regions, an
 *       hour later a quarter at the least; it gets them back by the same steps once it is calm.
 *       Small changes of load move nothing, and a change moves only regions of that DataNode.
 *   <li>One that HDFS gives no new blocks is the home of none, at once.
 * </ul>
 *
 * <p>Each region server judges by itself, by the loads that all see. A pure state machine: the
 * caller says what time it is. Guarded by its own monitor.
 */
public final class Homes {
  static final long GRACE_MILLIS = TimeUnit.MINUTES.toMillis(10);
  static final long CHANGE_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** The load of longer ago than this counts little. */
  private static final double MEAN_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private static final double BUSY_PERCENT = 80;
  private static final double CALM_PERCENT = 30;

  /** Busy of its own, not because all are. */
  private static final double ABOVE_OTHERS = 4.0 / 3;

  private static final double LEAST_WEIGHT = 0.25;

  private static final class DataNode {
    private int loadPercent;
    private double meanPercent;
    private double weight = 1;
    private long weightedMillis;
    private long seenMillis;
    private boolean refuses;

    DataNode(long nowMillis) {
      seenMillis = nowMillis;
      weightedMillis = nowMillis - CHANGE_MILLIS;
    }
  }

  private static final int MOST_OF_A_RACK = 2;

  /** Of the order of all so many are looked at for each that is wanted, unless all are needed. */
  private static final int LOOKED_AT = 8;

  private final UnaryOperator<@Nullable String> racks;
  private final Map<String, DataNode> dataNodes = new HashMap<>();
  private long observedMillis;

  /** As they were at the last change; null: not made since. */
  private Rendezvous.@Nullable Nodes nodes;

  private int candidates;

  /** Those of DataNodes of which no rack is known. */
  public Homes() {
    this(node -> null);
  }

  /**
   * @param racks of DataNodes; null: it is not known
   */
  public Homes(UnaryOperator<@Nullable String> racks) {
    this.racks = racks;
  }

  /** The same where each DataNode may be given new blocks. */
  public boolean observe(Map<String, Integer> loads, long nowMillis) {
    return observe(loads, Set.of(), nowMillis);
  }

  /**
   * Takes note of the daemons that are there now; to be called after each change, and now and then.
   *
   * @param loads percentage of busy handlers, by the DataNode beside the daemon
   * @param refusing the DataNodes among them that HDFS gives no new blocks
   * @return whether regions may have another home now
   */
  public synchronized boolean observe(
      Map<String, Integer> loads, Set<String> refusing, long nowMillis) {
    if (nowMillis < observedMillis) {
      setBack(observedMillis - nowMillis);
    }
    // What was said last held until now.
    double kept = Math.exp((observedMillis - nowMillis) / MEAN_MILLIS);
    observedMillis = nowMillis;
    boolean changed = false;
    for (DataNode node : dataNodes.values()) {
      node.meanPercent = node.loadPercent + kept * (node.meanPercent - node.loadPercent);
      node.loadPercent = 0;
    }
    for (Map.Entry<String, Integer> load : loads.entrySet()) {
      DataNode node = dataNodes.get(load.getKey());
      if (node == null) {
        node = new DataNode(nowMillis);
        dataNodes.put(load.getKey(), node);
        changed = true;
      }
      node.loadPercent = load.getValue();
      node.seenMillis = nowMillis;
      boolean refuses = refusing.contains(load.getKey());
      changed |= refuses != node.refuses;
      node.refuses = refuses;
    }
    changed |= dataNodes.values().removeIf(node -> nowMillis - node.seenMillis > GRACE_MILLIS);
    changed |= weigh(nowMillis);
    if (changed) {
      nodes = null;
    }
    return changed;
  }

  /** The clock shows so much less than it did: what was counted goes on from there. */
  private void setBack(long millis) {
    observedMillis -= millis;
    for (DataNode node : dataNodes.values()) {
      node.seenMillis -= millis;
      node.weightedMillis -= millis;
    }
  }

  private boolean weigh(long nowMillis) {
    double average =
        dataNodes.values().stream().mapToDouble(node -> node.meanPercent).average().orElse(0);
    boolean changed = false;
    for (DataNode node : dataNodes.values()) {
      double weight = node.weight;
      if (node.meanPercent > BUSY_PERCENT && node.meanPercent > ABOVE_OTHERS * average) {
        weight = Math.max(LEAST_WEIGHT, weight / 2);
      } else if (node.meanPercent < CALM_PERCENT) {
        weight = Math.min(1, weight * 2);
      }
      if (weight != node.weight && nowMillis - node.weightedMillis >= CHANGE_MILLIS) {
        node.weight = weight;
        node.weightedMillis = nowMillis;
        changed = true;
      }
    }
    return changed;
  }

  /** The DataNodes for {@code region}, the home first; fewer than {@code count} if there are. */
  public synchronized List<String> choose(String region, int count) {
    if (nodes == null) {
      Map<String, Double> weights = new HashMap<>();
      boolean allRefuse = dataNodes.values().stream().allMatch(node -> node.refuses);
      dataNodes.forEach(
          (name, node) -> {
            if (allRefuse || !node.refuses) {
              weights.put(name, node.weight);
            }
          });
      candidates = weights.size();
      nodes = new Rendezvous.Nodes(weights);
    }
    int wanted = Math.min(count, candidates);
    List<String> first = nodes.first(region, wanted);
    if (wanted < 2 || isSpread(first)) {
      return first;
    }
    List<String> some = nodes.first(region, Math.min(candidates, LOOKED_AT * wanted));
    List<String> spread = spread(some, wanted);
    return isSpread(spread) || some.size() == candidates
        ? spread
        : spread(nodes.first(region, candidates), wanted);
  }

  /** The first of an order, but as few as can be where others of their rack are. */
  private List<String> spread(List<String> order, int count) {
    List<String> chosen = new ArrayList<>();
    while (chosen.size() < count) {
      List<String> left = order.stream().filter(node -> !chosen.contains(node)).toList();
      chosen.add(
          left.stream().filter(node -> mayFollow(chosen, node)).findFirst().orElse(left.get(0)));
    }
    return chosen;
  }

  private boolean isSpread(List<String> chosen) {
    for (int i = 1; i < chosen.size(); i++) {
      if (!mayFollow(chosen.subList(0, i), chosen.get(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean mayFollow(List<String> chosen, String node) {
    String rack = racks.apply(node);
    if (rack == null) {
      return true;
    }
    long there = chosen.stream().filter(each -> rack.equals(racks.apply(each))).count();
    return there < (chosen.size() == 1 ? 1 : MOST_OF_A_RACK);
  }
}
