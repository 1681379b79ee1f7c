package io.ishbase.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which rows of a call are asked for together. A pure function. */
public final class RowGroups {
  /** A range of one row names it twice. */
  private static final long NAMES_OF_ROW = 2;

  private RowGroups() {}

  /**
   * The rows in groups that follow one another, each of as many as a request may hold, and one at
   * least.
   *
   * @param rows with what belongs to each
   * @param maxRows of a group
   * @param maxBytes of a group's ranges
   */
  public static <T> List<TreeMap<byte[], T>> of(
      TreeMap<byte[], T> rows, int maxRows, long maxBytes) {
    List<TreeMap<byte[], T>> groups = new ArrayList<>();
    TreeMap<byte[], T> group = new TreeMap<>(rows.comparator());
    long bytes = 0;
    for (Map.Entry<byte[], T> row : rows.entrySet()) {
      long more = NAMES_OF_ROW * row.getKey().length;
      if (group.isEmpty() || group.size() == maxRows || bytes + more > maxBytes) {
        group = new TreeMap<>(rows.comparator());
        groups.add(group);
        bytes = 0;
      }
      bytes += more;
      group.put(row.getKey(), row.getValue());
    }
    return groups;
  }
}
