package io.ishbase.plugin.memory;

import java.util.concurrent.atomic.LongAdder;

/** What flushes of a region server write, and how long that takes. Thread safe. */
final class FlushCosts {
  /** A flush of less says what it takes to make a file, not what its bytes take. */
  private static final long LEAST_BYTES = 1 << 20;

  private final LongAdder sinceTaken = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** A store was flushed: so many bytes of data, in so long a time. */
  void flushed(long dataBytes, long tookNanos) {
    sinceTaken.add(dataBytes);
    if (dataBytes >= LEAST_BYTES) {
      bytes.add(dataBytes);
      nanos.add(tookNanos);
    }
  }

  long takeFlushedBytes() {
    return sinceTaken.sumThenReset();
  }

  /** Nanoseconds for a byte; 0: nothing was flushed that tells. */
  double nanosOfByte() {
    long all = bytes.sum();
    return all == 0 ? 0 : (double) nanos.sum() / all;
  }
}
