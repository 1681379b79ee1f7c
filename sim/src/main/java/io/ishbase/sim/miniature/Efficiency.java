package io.ishbase.sim.miniature;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import java.nio.ByteBuffer;

/**
 * How much of its budget a segment cache has left for rows. A small one has less, for its chunks
 * are small: what remains at their ends, and what they take themselves, weighs more.
 */
final class Efficiency {
  /** From about here on it does not grow. */
  private static final long LARGE_BYTES = 16 << 20;

  private static final double FULL = 1.5;
  private static final long SCATTER = 2_654_435_761L;

  private Efficiency() {}

  /** The budget with which a small cache has the part of it for rows that a large one has. */
  static double budget(double bytes, int rowBytes, int keyBytes) {
    if (bytes >= LARGE_BYTES) {
      return bytes;
    }
    return bytes * of(LARGE_BYTES, rowBytes, keyBytes) / of((long) bytes, rowBytes, keyBytes);
  }

  /** Rows and keys in a full cache, as a part of its budget. */
  private static double of(long budget, int rowBytes, int keyBytes) {
    byte[] payload = new byte[rowBytes - keyBytes];
    byte[] row = new byte[keyBytes];
    int rows = (int) (FULL * budget / rowBytes);
    try (SegmentCache cache = new SegmentCache(budget, () -> 0);
        StoreCache store = cache.open("rows")) {
      for (int i = 0; i < rows; i++) {
        ByteBuffer.wrap(row).putInt(keyBytes - Integer.BYTES, (int) (i * SCATTER % rows));
        store.put(store.ticket(), row.clone(), null, payload, 0, payload.length, true);
      }
      long cached = store.stats().cachedBytes();
      if (cached == 0) {
        throw new IllegalArgumentException(
            "A segment cache of " + budget + " bytes holds no row of " + rowBytes);
      }
      return (double) cached / budget;
    }
  }
}
