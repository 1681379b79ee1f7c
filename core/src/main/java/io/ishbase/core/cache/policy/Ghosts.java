package io.ishbase.core.cache.policy;

import io.ishbase.core.KeyHash;

/**
 * How hot rows were that left the cache. A row that is entered takes the place of another, so about
 * as many are remembered as there are places: some for each entry of 1 KB that fits into the cache,
 * half a one for each of 64 B.
 */
final class Ghosts {
  /** The most heat that is remembered. */
  static final int MAX_HEAT = (1 << 12) - 1;

  private static final double SHARE_OF_BUDGET = 0.02;
  private static final int MIN_PLACES = 256;

  /** Places in an array; a large array would waste heap, as collectors round its size up. */
  private static final int MAX_PAGE = 1 << 13;

  private static final int ARRAY_BYTES = 16 + 8;

  /** Fingerprints, with the heat in the lowest bits; 0: nothing. */
  private final int[][] pages;

  private final int places;

  /** For a cache of so many bytes. */
  Ghosts(long budgetBytes) {
    long most = (long) (SHARE_OF_BUDGET * budgetBytes) / Integer.BYTES;
    places = (int) Long.highestOneBit(Math.max(MIN_PLACES, Math.min(most, 1 << 30)));
    pages = new int[Math.max(1, places / MAX_PAGE)][Math.min(places, MAX_PAGE)];
  }

  void add(int storeId, byte[] row, int heat) {
    long hash = hash(storeId, row);
    int place = place(hash);
    pages[place / MAX_PAGE][place % MAX_PAGE] = fingerprint(hash) | Math.min(heat, MAX_HEAT);
  }

  /** The heat of a row, which is forgotten then; 0 if it is not remembered. */
  int remove(int storeId, byte[] row) {
    long hash = hash(storeId, row);
    int place = place(hash);
    int[] page = pages[place / MAX_PAGE];
    int remembered = page[place % MAX_PAGE];
    if ((remembered & ~MAX_HEAT) != fingerprint(hash)) {
      return 0;
    }
    page[place % MAX_PAGE] = 0;
    return remembered & MAX_HEAT;
  }

  long heapBytes() {
    return (1L + pages.length) * ARRAY_BYTES + (long) Integer.BYTES * places;
  }

  private int place(long hash) {
    return (int) hash & places - 1;
  }

  private static int fingerprint(long hash) {
    return (int) (hash >>> 32) & ~MAX_HEAT;
  }

  private static long hash(int storeId, byte[] row) {
    long hash = KeyHash.of(storeId, row) * 0xBF58476D1CE4E5B9L;
    return hash ^ hash >>> 32;
  }
}
