package io.ishbase.core.memory;

/**
 * What memory for memstores saves. With twice the memory a flush writes files twice as large, and a
 * byte in them is compacted one time fewer for each factor by which a compaction makes files
 * larger: the logarithm of the size, as in any log-structured merge tree.
 *
 * @param bytesPerSecond what is written into memstores
 * @param nanosPerByte time to write a byte to a file once
 * @param usefulBytes more than this would not be used: regions are flushed for other reasons
 */
public record MemstoreUtility(double bytesPerSecond, double nanosPerByte, long usefulBytes)
    implements Utility {
  /** By how much a compaction makes files larger: HBase takes three files at least. */
  private static final double GROWTH = 3;

  /** So that no size is infinitely better than none. */
  private static final double LEAST_BYTES = 1 << 20;

  @Override
  public double nanosPerSecond(long bytes) {
    double passes = Math.log1p(Math.min(bytes, usefulBytes) / LEAST_BYTES) / Math.log(GROWTH);
    return bytesPerSecond * nanosPerByte * passes;
  }
}
