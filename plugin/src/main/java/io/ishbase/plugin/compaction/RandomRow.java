package io.ishbase.plugin.compaction;

import java.util.random.RandomGenerator;

/** Rows that look like others, and may lie anywhere between them. */
final class RandomRow {
  private RandomRow() {}

  /**
   * One as long as one of the two; each byte lies between those that they have in that place, so
   * what both begin with stays.
   */
  static byte[] between(byte[] one, byte[] other, RandomGenerator random) {
    byte[] row = (random.nextBoolean() ? one : other).clone();
    for (int i = 0; i < Math.min(one.length, other.length); i++) {
      int least = Math.min(one[i] & 0xff, other[i] & 0xff);
      int greatest = Math.max(one[i] & 0xff, other[i] & 0xff);
      row[i] = (byte) random.nextInt(least, greatest + 1);
    }
    return row;
  }
}
