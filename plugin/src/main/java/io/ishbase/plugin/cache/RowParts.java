package io.ishbase.plugin.cache;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.jspecify.annotations.Nullable;

/** What several storage nodes have of a row. */
final class RowParts {
  private RowParts() {}

  /**
   * The cells of two of them in HBase's order.
   *
   * @return null if both have the same cell: which of two such cells counts only their files decide
   */
  static @Nullable List<ExtendedCell> merge(
      List<? extends ExtendedCell> some, List<? extends ExtendedCell> others) {
    List<ExtendedCell> merged = new ArrayList<>(some.size() + others.size());
    int next = 0;
    for (ExtendedCell cell : some) {
      int order = -1;
      while (next < others.size()
          && (order = CellComparator.getInstance().compare(others.get(next), cell)) < 0) {
        merged.add(others.get(next++));
      }
      if (next < others.size() && order == 0) {
        return null;
      }
      merged.add(cell);
    }
    merged.addAll(others.subList(next, others.size()));
    return merged;
  }
}
