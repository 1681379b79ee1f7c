package io.ishbase.core;

/** A hash of keys of bytes that tells those of different key spaces apart. */
public final class KeyHash {
  private KeyHash() {}

  /** Its high bits are the better ones: who takes the low ones mixes it once more. */
  public static long of(int space, byte[] key) {
    long hash = space + 1;
    for (byte b : key) {
      hash = (hash ^ b & 0xff) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    return hash;
  }
}
