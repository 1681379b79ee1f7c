package io.ishbase.plugin.memory;

import io.ishbase.core.Setting;
import io.ishbase.core.memory.Utility;

/** One of those among whom a region server's memory is divided. */
interface Place {
  /** Who wants memory, where it lies, and the settings of its bounds, in percent of the sum. */
  enum Kind {
    MEMSTORES("memstores", true, Setting.MEMORY_MEMSTORES_MIN, Setting.MEMORY_MEMSTORES_MAX),
    BLOCK_CACHE(
        "block cache", true, Setting.MEMORY_BLOCK_CACHE_MIN, Setting.MEMORY_BLOCK_CACHE_MAX),
    SEGMENT_CACHE(
        "segment cache", false, Setting.MEMORY_SEGMENT_CACHE_MIN, Setting.MEMORY_SEGMENT_CACHE_MAX);

    /** For operators. */
    final String label;

    final boolean onHeap;
    final Setting min;
    final Setting max;

    Kind(String label, boolean onHeap, Setting min, Setting max) {
      this.label = label;
      this.onHeap = onHeap;
      this.min = min;
      this.max = max;
    }
  }

  Kind kind();

  /** What it may take now, in bytes. */
  long bytes();

  /** What it takes now, in bytes. */
  long usedBytes();

  /** The least that it can do with, in bytes. */
  default long leastBytes() {
    return 0;
  }

  /** The most that it can take, in bytes. */
  default long mostBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Lets it take so much.
   *
   * @param bytes between the least and the most
   * @return what it takes until it is asked again: more than it should where it could not give
   *     memory back yet, so that this is to be tried again
   */
  long resize(long bytes);

  /**
   * What memory is worth to it.
   *
   * @param seconds since this was asked last
   * @param sumBytes of all memory that is divided
   */
  Utility utility(double seconds, long sumBytes);

  /** What this comes from, for operators. */
  String reason();
}
