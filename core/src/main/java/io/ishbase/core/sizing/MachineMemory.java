package io.ishbase.core.sizing;

/**
 * A machine on which region servers live.
 *
 * @param memoryBytes what its processes may have together: physical memory, or a container's limit
 * @param otherBytes what processes have that are no region servers: DataNode, storage daemon
 * @param regionServers that share what is left, 1 or more
 */
public record MachineMemory(long memoryBytes, long otherBytes, int regionServers) {
  private static final long LEAST_SYSTEM_BYTES = 512L << 20;
  private static final long MOST_SYSTEM_BYTES = 16L << 30;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException if one cannot be
   */
  public MachineMemory {
    if (memoryBytes < 0 || otherBytes < 0 || regionServers < 1) {
      throw new IllegalArgumentException(
          memoryBytes + " bytes, " + otherBytes + " for others, " + regionServers + " servers");
    }
  }

  /**
   * What the operating system keeps: an eighth, half a gigabyte at least and 16 GB at most. Files
   * that a DataNode reads and writes go through its page cache.
   */
  public long systemBytes() {
    return Math.max(LEAST_SYSTEM_BYTES, Math.min(MOST_SYSTEM_BYTES, memoryBytes / 8));
  }

  /** What each region server may have in all; 0 if nothing is left. */
  public long serverBytes() {
    return Math.max(0, memoryBytes - systemBytes() - otherBytes) / regionServers;
  }
}
