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
  private long passedMillis;

  RandomCells(Random random) {
    this.random = random;
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

  // Never empty: how stock HBase steps over several versions of a cell without qualifier depends on
  // where its blocks end (docs/decisions.md, 10).
  byte[] qualifier() {
    return Bytes.toBytes("q" + random.nextInt(QUALIFIERS));
  }

  byte[] value() {
    return Bytes.toBytes("v" + random.nextInt(100) + "x".repeat(random.nextInt(60)));
  }

  long timestamp() {
    return passedMillis + (random.nextInt(4) == 0 ? stale : fresh) + random.nextInt(12);
  }

  /** From now on timestamps are so much later. */
  void pass(long millis) {
    passedMillis += millis;
  }
}
