package io.ishbase.bench;

import java.util.HashMap;
import site.ycsb.ByteIterator;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workload, where a wrong value fails the run instead of being counted.
 *
 * <p>With {@code dataintegrity} YCSB builds a value as {@code key:field}, then again and again a
 * colon and the hash of all before it, cut at the wanted length. The last whole hash thus covers
 * the value; checking it is much cheaper than YCSB's way of building the value anew.
 */
final class CheckedWorkload extends CoreWorkload {
  @Override
  protected void verifyRow(String key, HashMap<String, ByteIterator> cells) {
    if (cells.size() != fieldcount) {
      throw new IllegalStateException(
          "row " + key + " has " + cells.size() + " cells instead of " + fieldcount);
    }
    cells.forEach(
        (field, value) -> {
          if (!isRight(key + ":" + field + ":", value.toString())) {
            throw new IllegalStateException("row " + key + " has a wrong value in " + field);
          }
        });
  }

  private static boolean isRight(String prefix, String value) {
    int cut = value.lastIndexOf(':');
    int last = value.lastIndexOf(':', cut - 1) + 1;
    return value.length() == YcsbTable.VALUE_BYTES
        && value.startsWith(prefix)
        && last > prefix.length()
        && value.substring(last, cut).equals("" + value.substring(0, last).hashCode());
  }
}
