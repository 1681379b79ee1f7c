package io.ishbase.plugin.cache;

import io.ishbase.plugin.scan.WantedColumns;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Which Gets found more in their slice than is fetched to be cached, so that they need not fetch it
 * again in vain. By hashes: some are forgotten for others, and one may be taken for another. Thread
 * safe.
 */
final class LongSlices {
  private static final int PLACES = 1024;

  private final AtomicIntegerArray hashes = new AtomicIntegerArray(PLACES);

  /** What a Get is remembered by. Never 0. */
  static int hash(byte[] row, WantedColumns slice) {
    return (31 * Bytes.hashCode(row) + slice.hashCode()) * 0x9E3779B9 | 1;
  }

  void add(int hash) {
    hashes.set(place(hash), hash);
  }

  boolean has(int hash) {
    return hashes.get(place(hash)) == hash;
  }

  /** Forgets all: rows may be shorter now. */
  void clear() {
    for (int place = 0; place < PLACES; place++) {
      hashes.set(place, 0);
    }
  }

  private static int place(int hash) {
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(PLACES);
  }
}
