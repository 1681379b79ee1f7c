package io.ishbase.core.cache;

/**
 * Fingerprints of rows that left the cache a short while ago. One that is entered takes the place
 * of another, so about as many are remembered as there are places.
 */
final class Ghosts {
  private static final int MIN_PLACES = 256;

  private int[] fingerprints = new int[MIN_PLACES];

  /** Makes room for as many as there are entries; what was remembered is forgotten then. */
  long growthFor(long entries) {
    return entries > 2L * fingerprints.length ? (long) fingerprints.length * Integer.BYTES : 0;
  }

  void grow() {
    fingerprints = new int[2 * fingerprints.length];
  }

  void add(int storeId, byte[] row) {
    long hash = hash(storeId, row);
    fingerprints[place(hash)] = fingerprint(hash);
  }

  /** Whether a row is remembered; it is forgotten then. */
  boolean remove(int storeId, byte[] row) {
    long hash = hash(storeId, row);
    int place = place(hash);
    if (fingerprints[place] != fingerprint(hash)) {
      return false;
    }
    fingerprints[place] = 0;
    return true;
  }

  long heapBytes() {
    return 16 + (long) Integer.BYTES * fingerprints.length;
  }

  private int place(long hash) {
    return (int) hash & fingerprints.length - 1;
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
