package io.ishbase.dist;

import io.ishbase.bench.YcsbTable;

/** How large the region server's block cache is beside the data of a benchmark. */
final class BlockCache {
  /** Share of the data that the block cache holds. */
  private static final double SHARE = 0.07;

  /** Bytes of a row's key beside its value. */
  private static final int KEY_BYTES = 50;

  private BlockCache() {}

  static long bytesFor(long rows) {
    return (long) (rows * (YcsbTable.VALUE_BYTES + KEY_BYTES) * SHARE);
  }
}
