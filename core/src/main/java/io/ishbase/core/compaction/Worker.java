package io.ishbase.core.compaction;

/**
 * A worker as it describes itself.
 *
 * @param name unique
 * @param slots compactions that it carries out at once at most; 0: none
 * @param running compactions at work
 * @param backlogBytes what these have still to read
 * @param memoryBytes for the files that it works on; 0: it does not say
 * @param cpuPercent processors, of all, busy with other things than compactions
 * @param bytesPerSecond how fast one of its compactions went lately; 0: unknown
 * @param measuredBytes of which that is the mean
 * @param draining whether it takes no new ones
 * @param begun compactions that it has begun since it started
 */
public record Worker(
    String name,
    int slots,
    int running,
    long backlogBytes,
    long memoryBytes,
    int cpuPercent,
    long bytesPerSecond,
    long measuredBytes,
    boolean draining,
    long begun) {

  /** How many compactions of that size it carries out at once: ⌊m/b⌋, as far as it has slots. */
  int limit(long compactionBytes) {
    return memoryBytes == 0 || compactionBytes == 0
        ? slots
        : (int) Math.min(slots, memoryBytes / compactionBytes);
  }

  /** How many compactions of that size it takes now. */
  int free(long compactionBytes) {
    return draining ? 0 : Math.max(0, limit(compactionBytes) - running);
  }

  /** Whether it takes a compaction of that size now. */
  boolean isFree(long compactionBytes) {
    return free(compactionBytes) > 0;
  }
}
