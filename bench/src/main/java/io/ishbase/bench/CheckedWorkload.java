package io.ishbase.bench;

import java.util.HashMap;
import site.ycsb.ByteIterator;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workload, where a wrong value fails the run instead of being counted.
 *
 * <p>With {@code dataintegrity} YCSB builds a value as {@code key:field}, then again and again a
 * colon and the hash of all before it, cut at the wanted length. The last whole hash thus covers
 * the value; checking it is much cheaper than YCSB's way of building the value anew. A value too
 * short for a whole hash is checked by its beginning alone.
 */
final class CheckedWorkload extends CoreWorkload {
  private final int fieldBytes;

  CheckedWorkload(int fieldBytes) {
    this.fieldBytes = fieldBytes;
  }

  /** The key of row {@code number}, counted from 0. */
  String key(long number) {
    return buildKeyName(number);
  }

  @Override
  protected void verifyRow(String key, HashMap<String, ByteIterator> cells) {
    if (cells.isEmpty()) {
      throw new IllegalStateException("row " + key + " is missing");
    }
    cells.forEach((field, value) -> check(key, field, value.toString()));
  }

  /** Checks one value of a row. */
  void check(String key, String field, String value) {
    if (!isRight(key + ":" + field, value)) {
      throw new IllegalStateException("row " + key + " has a wrong value in " + field);
    }
  }

  private boolean isRight(String beginning, String value) {
    if (value.length() != fieldBytes) {
      return false;
    }
    int cut = value.lastIndexOf(':');
    int last = value.lastIndexOf(':', cut - 1) + 1;
    return last <= beginning.length()
        ? value.startsWith(beginning.substring(0, Math.min(beginning.length(), fieldBytes)))
        : value.startsWith(beginning + ":")
            && value.substring(last, cut).equals("" + value.substring(0, last).hashCode());
  }
}
