package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;

/**
 * What HBase counts of this thread's reads of storage, for the client of the scan that it answers.
 * HBase 2.6.4 does; 2.5.10 and 2.6.1 do not, and lack the class; in that of 2.5.13 there is no
 * time.
 */
public final class StorageReads {
  private static final boolean ARE_COUNTED = areCounted();

  private static final boolean ARE_TIMED =
      ARE_COUNTED && ReleaseAdapter.has(ThreadLocalServerSideScanMetrics.class, "addFsReadTime");

  private StorageReads() {}

  private static boolean areCounted() {
    try {
      Class.forName("org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** What ends with {@link #close}, which throws nothing. */
  public interface Span extends AutoCloseable {
    @Override
    void close();
  }

  /** At a daemon: counts what the thread reads from now on, until the result is closed. */
  public static Span begin() {
    if (!ARE_COUNTED) {
      return () -> {};
    }
    ThreadLocalServerSideScanMetrics.reset();
    ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(true);
    return () -> ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(false);
  }

  /** Has an answer say what was counted since {@link #begin}. */
  public static void addTo(ReadResponse.Builder answer) {
    if (!ARE_COUNTED) {
      return;
    }
    answer.setStorageBytes(ThreadLocalServerSideScanMetrics.getBytesReadFromFsAndReset());
    long reads = ThreadLocalServerSideScanMetrics.getBlockReadOpsCountAndReset();
    if (reads > 0) {
      answer.setStorageReads((int) reads);
    }
    long cached = ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset();
    if (cached > 0) {
      answer.setCachedBytes(cached);
    }
  }

  /** At a region server: has the client told nothing of what the thread reads meanwhile. */
  public static Span pause() {
    if (!isAskedFor()) {
      return () -> {};
    }
    ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(false);
    return () -> ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(true);
  }

  /** Whether the client asks for them. */
  private static boolean isAskedFor() {
    return ARE_COUNTED && ThreadLocalServerSideScanMetrics.isScanMetricsEnabled();
  }

  /**
   * What was read for an answer.
   *
   * @param bytes of disks
   * @param reads of disks
   * @param cachedBytes which a cache had
   */
  public record Count(long bytes, long reads, long cachedBytes) {
    public static final Count NOTHING = new Count(0, 0, 0);

    /**
     * What an answer says. The release before says nothing: its answer is what a block is.
     *
     * @param cellBytes of the answer
     * @throws IllegalArgumentException if it is no number of bytes
     */
    public static Count of(ReadResponse answer, int cellBytes) {
      if (!answer.hasStorageBytes()) {
        return new Count(cellBytes, 1, 0);
      }
      if (answer.getStorageBytes() < 0
          || answer.getStorageReads() < 0
          || answer.getCachedBytes() < 0) {
        throw new IllegalArgumentException("More was read than there are bytes");
      }
      return new Count(
          Math.min(Protocol.MAX_TOLD_BYTES, answer.getStorageBytes()),
          answer.getStorageReads(),
          Math.min(Protocol.MAX_TOLD_BYTES, answer.getCachedBytes()));
    }
  }

  /**
   * Counts what was read. The time is in the region server's slow log whether or not the client
   * asks.
   *
   * @param millis for which the thread waited
   */
  public static void count(Count read, long millis) {
    if (!ARE_COUNTED) {
      return;
    }
    if (ARE_TIMED && millis > 0) {
      ThreadLocalServerSideScanMetrics.addFsReadTime(millis);
    }
    if (isAskedFor()) {
      ThreadLocalServerSideScanMetrics.addBytesReadFromFs(read.bytes());
      ThreadLocalServerSideScanMetrics.addBlockReadOpsCount(read.reads());
      ThreadLocalServerSideScanMetrics.addBytesReadFromBlockCache(read.cachedBytes());
    }
  }
}
