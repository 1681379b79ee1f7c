package io.ishbase.plugin.hbase;

/**
 * Rows that a filter dropped where HBase's scanner did not see them, in the cache or at a daemon,
 * by the thread that steps the scanner. HBase has such counters for what it reads of files.
 */
public final class FilteredRows {
  private static final ThreadLocal<long[]> ROWS = ThreadLocal.withInitial(() -> new long[1]);

  private FilteredRows() {}

  /** Counts more of them. */
  public static void add(long rows) {
    ROWS.get()[0] += rows;
  }

  /** How many this thread has counted since it was asked last. */
  public static long take() {
    long[] rows = ROWS.get();
    long taken = rows[0];
    rows[0] = 0;
    return taken;
  }
}
