package io.ishbase.plugin.cache;

import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A place between rows.
 *
 * @param row before or behind which it lies; null: it lies behind all rows
 */
record Border(byte @Nullable [] row, boolean isBehind) implements Comparable<Border> {
  static final Border END = new Border(null, true);

  static Border before(byte[] row) {
    return new Border(row, false);
  }

  static Border behind(byte[] row) {
    return new Border(row, true);
  }

  boolean isBefore(Border other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(Border other) {
    if (row == null || other.row == null) {
      return Boolean.compare(row == null, other.row == null);
    }
    int order = Bytes.compareTo(row, other.row);
    return order != 0 ? order : Boolean.compare(isBehind, other.isBehind);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Border border && compareTo(border) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * (row == null ? 0 : Bytes.hashCode(row)) + Boolean.hashCode(isBehind);
  }
}
