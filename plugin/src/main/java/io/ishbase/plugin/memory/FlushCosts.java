package io.ishbase.plugin.memory;

/**
 * What flushes of a region server write, and how long that takes: of the last few tens of
 * gigabytes, as disks and neighbours change. Thread safe.
 */
final class FlushCosts {
  /** A flush of less says what it takes to make a file, not what its bytes take. */
  private static final long LEAST_BYTES = 1 << 20;

  /** Behind so much all that was before counts half. */
  private static final long HALVED_AT_BYTES = 16L << 30;

  /** So many times what others took a flush counts at most: it may have hung. */
  private static final int MOST_OF_FLUSH = 8;

  /** As long as nothing is known, this is thought usual: a slow disk's. */
  private static final double FIRST_NANOS_OF_BYTE = 50;

  private long sinceTaken;
  private long bytes;
  private long nanos;

  /** A store was flushed: so many bytes of data, in so long a time. */
  synchronized void flushed(long dataBytes, long tookNanos) {
    sinceTaken += dataBytes;
    if (dataBytes >= LEAST_BYTES) {
      double usual = bytes == 0 ? FIRST_NANOS_OF_BYTE : nanosOfByte();
      nanos += (long) Math.min(tookNanos, MOST_OF_FLUSH * Math.max(1, usual) * dataBytes);
      bytes += dataBytes;
      if (bytes >= HALVED_AT_BYTES) {
        bytes /= 2;
        nanos /= 2;
      }
    }
  }

  synchronized long takeFlushedBytes() {
    long taken = sinceTaken;
    sinceTaken = 0;
    return taken;
  }

  /** Nanoseconds for a byte; 0: nothing was flushed that tells. */
  synchronized double nanosOfByte() {
    return bytes == 0 ? 0 : (double) nanos / bytes;
  }
}
