package io.ishbase.plugin.hbase;

import org.apache.hadoop.hbase.client.Scan;

/**
 * Rows that a filter dropped where HBase's scanner did not see them, in the cache or at a daemon,
 * by the thread that steps the scanner. HBase has such counters for what it reads of files.
 */
public final class FilteredRows {
  private static final ThreadLocal<long[]> ROWS = ThreadLocal.withInitial(() -> new long[1]);

  private FilteredRows() {}

  /** Whether those of a scan are counted. Of several families each would count the row. */
  public static boolean areCounted(Scan scan) {
    return scan.getFamilyMap().size() == 1
        && (scan.getFilter() != null || scan.isScanMetricsEnabled());
  }

  /** Counts more of them, of a scan of which they are counted. */
  public static void add(long rows) {
    ROWS.get()[0] += rows;
  }

  /** How many this thread has counted since. */
  public static long get() {
    return ROWS.get()[0];
  }

  /** Forgets those that this thread has counted since there were {@code rows}. */
  public static void set(long rows) {
    ROWS.get()[0] = rows;
  }
}
