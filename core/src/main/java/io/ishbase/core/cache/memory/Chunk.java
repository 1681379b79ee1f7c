package io.ishbase.core.cache.memory;

import java.nio.ByteBuffer;

/** A piece of off-heap memory that is filled from its beginning to its end. */
public final class Chunk {
  /**
   * Estimate of the heap that a chunk takes: this, its buffer and cleaner, its places in queues.
   */
  static final int OBJECT_BYTES = 40 + 64 + 40 + 32 + 24;

  final int id;
  final ByteBuffer buffer;

  /** Whether it belongs to the main queue rather than to the small one. */
  boolean main;

  /** Where the next entry goes. */
  int position;

  /** Bytes of entries that are in an index. */
  int liveBytes;

  /** Whether its entries are being moved or dropped. */
  boolean reclaimed;

  /** The epoch in which its last entry left the index, once that has happened. */
  long retiredEpoch;

  Chunk(int id, ByteBuffer buffer) {
    this.id = id;
    this.buffer = buffer;
  }

  /** The memory; only absolute accesses are allowed. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Whether it belongs to the main queue rather than to the small one. */
  public boolean isMain() {
    return main;
  }

  /** Bytes that are filled. */
  public int bytes() {
    return position;
  }

  boolean fits(int bytes) {
    return position + bytes <= buffer.capacity();
  }

  /** Whether most of what was written to it is no longer in an index. */
  public boolean mostlyDead() {
    return liveBytes < position / 2;
  }
}
