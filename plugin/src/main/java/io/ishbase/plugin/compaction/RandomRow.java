package io.ishbase.plugin.compaction;

import java.util.List;
import java.util.random.RandomGenerator;

/** Rows that look like others, and may lie anywhere among them. */
final class RandomRow {
  private RandomRow() {}

  /**
   * One as long as one of {@code rows}; each byte lies between the least and the greatest that they
   * have in that place, so what they all begin with stays.
   *
   * @param rows one at least
   */
  static byte[] like(List<byte[]> rows, RandomGenerator random) {
    byte[] row = new byte[rows.get(random.nextInt(rows.size())).length];
    for (int i = 0; i < row.length; i++) {
      int least = 0xff;
      int greatest = 0;
      for (byte[] other : rows) {
        if (i < other.length) {
          least = Math.min(least, other[i] & 0xff);
          greatest = Math.max(greatest, other[i] & 0xff);
        }
      }
      row[i] = (byte) random.nextInt(least, greatest + 1);
    }
    return row;
  }
}
