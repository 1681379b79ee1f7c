package io.ishbase.plugin.hbase;

import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;

/**
 * What HBase counts of reads of storage for the client of the scan that this thread answers. HBase
 * 2.6.4 does; 2.6.0 and 2.6.1 do not, and lack the class.
 */
public final class StorageReads {
  private static final boolean IS_KNOWN = isKnown();

  private StorageReads() {}

  private static boolean isKnown() {
    try {
      Class.forName("org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** What ends with {@link #close}, which throws nothing. */
  public interface Pause extends AutoCloseable {
    @Override
    void close();
  }

  /** Has the client told nothing of what the thread reads until the result is closed. */
  public static Pause pause() {
    if (!areCounted()) {
      return () -> {};
    }
    ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(false);
    return () -> ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(true);
  }

  /** Whether the client asks for them. */
  private static boolean areCounted() {
    return IS_KNOWN && ThreadLocalServerSideScanMetrics.isScanMetricsEnabled();
  }

  /**
   * Counts one. The time is in the region server's slow log whether or not the client asks.
   *
   * @param millis for which the thread waited
   */
  public static void count(long bytes, long millis) {
    if (!IS_KNOWN) {
      return;
    }
    if (millis > 0) {
      ThreadLocalServerSideScanMetrics.addFsReadTime(millis);
    }
    if (areCounted()) {
      ThreadLocalServerSideScanMetrics.addBytesReadFromFs(bytes);
      ThreadLocalServerSideScanMetrics.addBlockReadOpsCount(1);
    }
  }
}
