package io.ishbase.core.memory;

/** What memory saves its consumer, by how much of it there is. */
@FunctionalInterface
public interface Utility {
  /** Of a consumer to which memory is worth nothing. */
  Utility NONE = bytes -> 0;

  /**
   * Nanoseconds of work that are saved in each second, next to what would be without memory. Does
   * not decrease.
   */
  double nanosPerSecond(long bytes);
}
