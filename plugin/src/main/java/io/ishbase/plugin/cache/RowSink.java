package io.ishbase.plugin.cache;

import java.util.List;
import org.apache.hadoop.hbase.ExtendedCell;

/** Takes whole rows of a scan, in ascending order, and what is known of what lies between them. */
interface RowSink {
  /** What follows begins at a row, or behind it: of what lies before nothing is known. */
  void begin(byte[] row, boolean inclusive);

  /** Nothing lies before this row, of which not all cells have come yet. */
  void coming(byte[] row);

  /**
   * The next row.
   *
   * @param cells all of it; the list is the caller's
   * @param bytes of the encoded row, at most
   */
  void row(byte[] row, List<ExtendedCell> cells, long bytes);

  /** The next row, which is not to be cached. */
  void unfit(byte[] row);

  /** Nothing lies before this row, which may be there or not. */
  void reachedBefore(byte[] row);

  /** Nothing lies up to this row, which is not there, unless it is the last that came. */
  void reachedThrough(byte[] row);

  /** Nothing lies behind the last row. */
  void reachedEnd();
}
