package io.ishbase.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Rendezvous hashing: gives every key an order of the nodes such that keys spread evenly, and a
 * node that comes or goes moves only the keys that are its own (Thaler and Ravishankar, 1998).
 */
public final class Rendezvous {
  private Rendezvous() {}

  /** The nodes, the best one for {@code key} first. Independent of the order of {@code nodes}. */
  public static List<String> order(String key, Collection<String> nodes) {
    long keyHash = hash(key);
    List<String> ordered = new ArrayList<>(nodes);
    ordered.sort(
        Comparator.comparingLong((String node) -> mix(keyHash ^ hash(node)))
            .thenComparing(Comparator.naturalOrder()));
    return ordered;
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
