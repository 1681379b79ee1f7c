package io.ishbase.plugin.cache;

import org.apache.hadoop.hbase.ExtendedCell;
import org.jspecify.annotations.Nullable;

/** The cells of a row that a reader may see, in HBase's order. */
interface RowCells {
  /**
   * The next cell; null at the end.
   *
   * @throws IllegalStateException if there is something that is no cell
   */
  @Nullable ExtendedCell next();
}
