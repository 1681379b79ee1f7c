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

  private long sinceTaken;
  private long bytes;
  private long nanos;

  /** A store was flushed: so many bytes of data, in so long a time. */
  synchronized void flushed(long dataBytes, long tookNanos) {
    sinceTaken += dataBytes;
    if (dataBytes >= LEAST_BYTES) {
      bytes += dataBytes;
      nanos += tookNanos;
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
