package io.ishbase.it;

import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows, columns and timestamps from a key space so small that collisions are the rule. Timestamps
 * lie either an hour or a minute back, so that a time to live of ten minutes decides the same for
 * any two reads of a test.
 */
final class RandomCells {
  static final int ROWS = 40;
  static final int QUALIFIERS = 6;

  private final Random random;
  private final long fresh = System.currentTimeMillis() - 60_000;
  private final long stale = fresh - 3_540_000;

  /**
   * Whether some cells have no qualifier. Where they have none there must be no delete-family
   * markers: stock HBase then answers by where its blocks end.
   */
  final boolean hasEmptyQualifier;

  RandomCells(Random random) {
    this.random = random;
    this.hasEmptyQualifier = random.nextInt(3) == 0;
  }

  byte[] row() {
    return row(random.nextInt(ROWS));
  }

  static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  byte[] family() {
    return Bytes.toBytes(random.nextInt(3) == 0 ? "g" : "f");
  }

  byte[] qualifier() {
    int number = random.nextInt(QUALIFIERS);
    return number == 0 && hasEmptyQualifier ? new byte[0] : Bytes.toBytes("q" + number);
  }

  byte[] value() {
    return Bytes.toBytes("v" + random.nextInt(100) + "x".repeat(random.nextInt(60)));
  }

  long timestamp() {
    return (random.nextInt(4) == 0 ? stale : fresh) + random.nextInt(12);
  }
}
