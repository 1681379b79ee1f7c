package io.ishbase.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rendezvous hashing: gives every key an order of the nodes such that keys spread evenly, and a
 * node that comes or goes moves only the keys that are its own (Thaler and Ravishankar, 1998).
 */
public final class Rendezvous {
  private Rendezvous() {}

  /** The nodes, the best one for {@code key} first. Independent of the order of {@code nodes}. */
  public static List<String> order(String key, Collection<String> nodes) {
    long keyHash = hash(key);
    List<Placed> placed = new ArrayList<>(nodes.size());
    nodes.forEach(node -> placed.add(new Placed(mix(keyHash ^ hash(node)), node)));
    placed.sort(Comparator.naturalOrder());
    return placed.stream().map(Placed::node).toList();
  }

  /** The first of {@link #order}, or null if there are no nodes. */
  public static @Nullable String first(String key, Collection<String> nodes) {
    long keyHash = hash(key);
    String first = null;
    long least = 0;
    for (String node : nodes) {
      long place = mix(keyHash ^ hash(node));
      if (first == null || place < least || place == least && node.compareTo(first) < 0) {
        first = node;
        least = place;
      }
    }
    return first;
  }

  private record Placed(long place, String node) implements Comparable<Placed> {
    @Override
    public int compareTo(Placed other) {
      int order = Long.compare(place, other.place);
      return order == 0 ? node.compareTo(other.node) : order;
    }
  }

  /**
   * As {@link #order(String, Collection)} for nodes that are to get keys in proportion to their
   * weights, which are positive: a weight that changes moves keys only to or from its node. With
   * equal weights it is the same order.
   */
  public static List<String> order(String key, Map<String, Double> weights) {
    long keyHash = hash(key);
    Map<String, Double> distances = new HashMap<>();
    weights.forEach(
        (node, weight) -> distances.put(node, distance(mix(keyHash ^ hash(node))) / weight));
    List<String> ordered = new ArrayList<>(weights.keySet());
    ordered.sort(
        Comparator.comparingDouble((String node) -> distances.get(node))
            .thenComparing(Comparator.naturalOrder()));
    return ordered;
  }

  /**
   * Nodes to which many keys are given: their names are hashed once, and only as many of them are
   * put into an order as are asked for.
   */
  public static final class Nodes {
    private final String[] names;
    private final long[] hashes;
    private final double[] weights;
    private final boolean alike;

    /** Nodes with their weights, which are positive. */
    public Nodes(Map<String, Double> weightByName) {
      names = weightByName.keySet().toArray(new String[0]);
      hashes = new long[names.length];
      weights = new double[names.length];
      boolean same = true;
      for (int i = 0; i < names.length; i++) {
        hashes[i] = hash(names[i]);
        weights[i] = weightByName.getOrDefault(names[i], 1.0);
        same &= weights[i] == weights[0];
      }
      alike = same;
    }

    /** The first {@code count} of {@link #order(String, Map)}; fewer if there are fewer nodes. */
    public List<String> first(String key, int count) {
      long keyHash = hash(key);
      int[] best = new int[Math.min(count, names.length)];
      double[] distances = new double[best.length];
      int found = 0;
      for (int node = 0; node < names.length; node++) {
        long place = mix(keyHash ^ hashes[node]);
        // With equal weights the logarithm changes no order, and takes most of the time.
        double distance = alike ? upperBits(place) : distance(place) / weights[node];
        if (found == best.length
            && (found == 0 || !isBefore(node, distance, best, distances, found - 1))) {
          continue;
        }
        int to = found == best.length ? found - 1 : found++;
        while (to > 0 && isBefore(node, distance, best, distances, to - 1)) {
          best[to] = best[to - 1];
          distances[to] = distances[to - 1];
          to--;
        }
        best[to] = node;
        distances[to] = distance;
      }
      List<String> first = new ArrayList<>(best.length);
      for (int node : best) {
        first.add(names[node]);
      }
      return first;
    }

    private boolean isBefore(int node, double distance, int[] best, double[] distances, int other) {
      return distance < distances[other]
          || distance == distances[other] && names[node].compareTo(names[best[other]]) < 0;
    }
  }

  // Exponentially distributed and growing with the hash, of which the upper 53 bits count.
  private static double distance(long hash) {
    return -Math.log1p(-upperBits(hash) * 0x1p-53);
  }

  private static double upperBits(long hash) {
    return (hash ^ Long.MIN_VALUE) >>> 11;
  }

  // FNV-1a, 64 bits.
  private static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return mix(hash);
  }

  // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
