package io.ishbase.sim.scale;

import io.ishbase.core.Homes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the files of regions lie, by the homes that ship. */
final class Placed {
  static final int REPLICAS = 3;

  private final Homes homes;
  private final Map<String, Integer> numbers = new HashMap<>();

  /** Nodes of each region, its home first. */
  private final int[] holders;

  private final int ofEach;

  Placed(Homes homes, List<String> nodes, int regions) {
    this.homes = homes;
    for (int node = 0; node < nodes.size(); node++) {
      numbers.put(nodes.get(node), node);
    }
    ofEach = Math.min(REPLICAS, nodes.size());
    holders = new int[regions * ofEach];
    for (int region = 0; region < regions; region++) {
      place(region);
    }
  }

  /** All files of the region are written anew, to where its home is now. */
  void place(int region) {
    List<String> chosen = homes.choose("region" + region, ofEach);
    for (int i = 0; i < chosen.size(); i++) {
      holders[region * ofEach + i] = numbers.getOrDefault(chosen.get(i), 0);
    }
  }

  /** Storage nodes that have a region's files. */
  int replicas() {
    return ofEach;
  }

  /** One of them, the home at 0. */
  int holder(int region, int replica) {
    return holders[region * ofEach + replica];
  }
}
