package io.ishbase.core.cache;

import java.nio.ByteBuffer;

/** Off-heap memory in chunks, into which entries are appended. */
final class Arena {
  /** No address: the entry does not fit. */
  static final long NONE = 0;

  private static final int MIN_CHUNK_BYTES = 4 << 10;
  private static final int MAX_CHUNK_BYTES = 1 << 20;
  private static final int OFFSET_BITS = 24;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

  private final long budgetBytes;
  private final int chunkBytes;

  /** By id, which is the upper part of an address; 0 is not used. */
  private final ByteBuffer[] chunks;

  private int chunkCount;
  private int position;
  private long heapBytes;

  Arena(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    chunkBytes =
        (int)
            Math.max(
                MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, Long.highestOneBit(budgetBytes / 64)));
    chunks = new ByteBuffer[(int) (budgetBytes / chunkBytes) + 1];
    position = chunkBytes;
  }

  ByteBuffer chunk(long element) {
    return chunks[(int) (Segment.address(element) >>> OFFSET_BITS)];
  }

  /** Where an entry begins in its chunk. */
  static int offset(long element) {
    return (int) (element & OFFSET_MASK) << 2;
  }

  /** Length of the longest entry that is cached. */
  int maxEntryBytes() {
    return chunkBytes / 4;
  }

  /**
   * Makes room for an entry.
   *
   * @param heapGrowth how much the index may grow by it
   * @return its address, or {@link #NONE}
   */
  long allocate(int bytes, long heapGrowth) {
    if (bytes > maxEntryBytes()) {
      return NONE;
    }
    if (position + bytes > chunkBytes) {
      if (usedBytes() + chunkBytes + heapGrowth > budgetBytes) {
        return NONE;
      }
      chunks[++chunkCount] = ByteBuffer.allocateDirect(chunkBytes);
      position = 0;
    }
    if (usedBytes() + heapGrowth > budgetBytes) {
      return NONE;
    }
    long address = (long) chunkCount << OFFSET_BITS | position >> 2;
    position += bytes;
    return address;
  }

  /** Takes note that an entry is no longer in the index. */
  void release(long address) {}

  void heapGrew(long bytes) {
    heapBytes += bytes;
  }

  long usedBytes() {
    return heapBytes + (long) chunkCount * chunkBytes;
  }
}
