package io.ishbase.sim.scale;

import io.ishbase.core.RowGroups;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** How many requests the Gets of one call need, by the groups that ship. */
final class MultiGets {
  /** Rows and bytes of ranges that a request may have; a daemon's bounds. */
  private static final int MOST_ROWS = 1_000;

  private static final long MOST_BYTES = 64 << 10;
  private static final int CALLS = 200;
  private static final int KEY_BYTES = 24;

  private MultiGets() {}

  /** The mean over calls of so many rows, which lie in any of the regions. */
  static double requests(int rows, int regions, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long requests = 0;
    for (int call = 0; call < CALLS; call++) {
      Map<Integer, TreeMap<byte[], Boolean>> byRegion = new HashMap<>();
      for (int row = 0; row < rows; row++) {
        byte[] key = new byte[KEY_BYTES];
        ByteBuffer.wrap(key).putLong(random.nextLong());
        byRegion
            .computeIfAbsent(random.nextInt(regions), region -> new TreeMap<>(Arrays::compare))
            .put(key, true);
      }
      for (TreeMap<byte[], Boolean> ofRegion : byRegion.values()) {
        requests += RowGroups.of(ofRegion, MOST_ROWS, MOST_BYTES).size();
      }
    }
    return (double) requests / CALLS;
  }
}
