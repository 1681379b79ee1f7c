package io.ishbase.dist.chaos;

import org.jspecify.annotations.Nullable;

/**
 * What a row holds, as its readers see it.
 *
 * @param value written in both families by each put; null: none
 * @param count of its increments by one; 0: none
 * @param text that appends made longer; empty: none
 */
record RowState(@Nullable String value, long count, String text) {
  /** A row that is not there. */
  static final RowState EMPTY = new RowState(null, 0, "");

  RowState withValue(String other) {
    return new RowState(other, count, text);
  }

  @Override
  public String toString() {
    return "value " + value + ", count " + count + ", text '" + text + "'";
  }
}
