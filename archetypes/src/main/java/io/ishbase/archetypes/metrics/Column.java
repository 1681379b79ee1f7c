package io.ishbase.archetypes.metrics;

import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.Cell;

/**
 * A column of a row of buckets: what is counted in it, and in which bucket.
 *
 * <p>As a qualifier: a letter, two bytes of offset and, for a bin, four bytes of its index. So what
 * is of one kind is together, and marks come before what they are about.
 *
 * @param offset the number of the bucket in its row
 * @param bin the index of the bin of a distribution; 0 if it has none
 */
record Column(Kind kind, int offset, int bin) {
  /** What a column holds. */
  enum Kind {
    /** That a bucket that was rolled up is open again; no counter. */
    MARK('m'),
    /** How many values are in a bin of negative values. */
    NEGATIVE('n'),
    /** How many values are in a bin of positive values. */
    POSITIVE('p'),
    /** The sum of what was added. */
    TOTAL('t'),
    /** How many values are zero. */
    ZERO('z');

    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }

    /** The first byte of the qualifiers. */
    byte code() {
      return code;
    }

    boolean hasBin() {
      return this == NEGATIVE || this == POSITIVE;
    }
  }

  private static final int SHORT_BYTES = 1 + Short.BYTES;

  static Column total(int offset) {
    return new Column(Kind.TOTAL, offset, 0);
  }

  static Column mark(int offset) {
    return new Column(Kind.MARK, offset, 0);
  }

  byte[] qualifier() {
    ByteBuffer bytes = ByteBuffer.allocate(SHORT_BYTES + (kind.hasBin() ? Integer.BYTES : 0));
    bytes.put(kind.code()).putShort((short) offset);
    if (kind.hasBin()) {
      // Negative ones first.
      bytes.putInt(bin ^ Integer.MIN_VALUE);
    }
    return bytes.array();
  }

  /** The column of a cell; IllegalStateException: its qualifier is not that of one. */
  static Column of(Cell cell) {
    ByteBuffer bytes =
        ByteBuffer.wrap(
            cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
    if (bytes.remaining() >= SHORT_BYTES) {
      byte code = bytes.get();
      for (Kind kind : Kind.values()) {
        if (kind.code == code) {
          int offset = Short.toUnsignedInt(bytes.getShort());
          if (bytes.remaining() == (kind.hasBin() ? Integer.BYTES : 0)) {
            return new Column(kind, offset, kind.hasBin() ? bytes.getInt() ^ Integer.MIN_VALUE : 0);
          }
        }
      }
    }
    throw new IllegalStateException("Not a column of a table of metrics: " + cell);
  }
}
