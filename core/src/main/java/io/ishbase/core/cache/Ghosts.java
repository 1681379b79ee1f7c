package io.ishbase.core.cache;

/**
 * Fingerprints of rows that left the cache a short while ago. One that is entered takes the place
 * of another, so about as many are remembered as there are places.
 */
final class Ghosts {
  private static final int MIN_PLACES = 256;

  /** Places in an array; a large array would waste heap, as collectors round its size up. */
  private static final int MAX_PAGE = 1 << 13;

  private static final int ARRAY_BYTES = 16 + 8;

  private int places = MIN_PLACES;
  private int[][] pages = {new int[MIN_PLACES]};

  /** What {@link #grow} would add to the heap; 0 if there are places enough. */
  long growthFor(long entries) {
    return entries > 2L * places ? heapBytes(2 * places) - heapBytes() : 0;
  }

  /** Doubles the places; what was remembered is forgotten. */
  void grow() {
    places *= 2;
    pages = new int[Math.max(1, places / MAX_PAGE)][Math.min(places, MAX_PAGE)];
  }

  void add(int storeId, byte[] row) {
    long hash = hash(storeId, row);
    int place = place(hash);
    pages[place / MAX_PAGE][place % MAX_PAGE] = fingerprint(hash);
  }

  /** Whether a row is remembered; it is forgotten then. */
  boolean remove(int storeId, byte[] row) {
    long hash = hash(storeId, row);
    int place = place(hash);
    int[] page = pages[place / MAX_PAGE];
    if (page[place % MAX_PAGE] != fingerprint(hash)) {
      return false;
    }
    page[place % MAX_PAGE] = 0;
    return true;
  }

  long heapBytes() {
    return heapBytes(places);
  }

  private static long heapBytes(int places) {
    return (1L + places / MAX_PAGE) * ARRAY_BYTES + (long) Integer.BYTES * places;
  }

  private int place(long hash) {
    return (int) hash & places - 1;
  }

  private static int fingerprint(long hash) {
    return (int) (hash >>> 32) | 1;
  }

  private static long hash(int storeId, byte[] row) {
    long hash = storeId + 1;
    for (byte b : row) {
      hash = (hash ^ b & 0xff) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    hash *= 0xBF58476D1CE4E5B9L;
    return hash ^ hash >>> 32;
  }
}
