package io.ishbase.core.cache.file;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where rows lie in a log, off the heap: a table of buckets with eight slots of eight bytes each. A
 * slot has a position, a part of the row's hash, how many changes lie there, and whether the row
 * was asked for there. It may name another row: who goes there finds which one it is. Two rows of a
 * bucket with the same part of their hashes take each other's place.
 *
 * <p>Nothing is ever removed for age: a slot whose position the log has overwritten is as good as
 * empty. Of a bucket that is full, the slot goes that was written first.
 *
 * <p>Lookups take no lock; changes are guarded by the log's monitor.
 */
final class FileIndex {
  static final int SLOT_BYTES = Long.BYTES;

  private static final int SLOTS = 8;
  private static final int BUCKET_BYTES = SLOTS * SLOT_BYTES;
  private static final int PART_BUCKETS = 1 << 21;
  private static final int POSITION_BITS = 40;
  private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;
  private static final long ASKED = 1L << POSITION_BITS;
  private static final int CHANGES_SHIFT = POSITION_BITS + 1;
  private static final int CHANGES_MASK = 15;
  private static final int TAG_SHIFT = CHANGES_SHIFT + 4;

  private static final VarHandle SLOT =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer[] parts;
  private final int buckets;

  /**
   * With room for at least so many rows.
   *
   * @throws IllegalArgumentException if there are too many
   * @throws OutOfMemoryError if the process has no memory for it
   */
  FileIndex(long slots) {
    long wanted = Math.max(1, (slots + SLOTS - 1) / SLOTS);
    if (wanted > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(slots + " rows in an index");
    }
    buckets = (int) wanted;
    parts = new ByteBuffer[(buckets + PART_BUCKETS - 1) / PART_BUCKETS];
    for (int i = 0; i < parts.length; i++) {
      int ofPart = Math.min(PART_BUCKETS, buckets - i * PART_BUCKETS);
      // A bucket is to lie in one line of the processor's cache.
      parts[i] =
          ByteBuffer.allocateDirect((ofPart + 1) * BUCKET_BYTES)
              .alignedSlice(BUCKET_BYTES)
              .slice(0, ofPart * BUCKET_BYTES);
    }
  }

  long bytes() {
    return (long) buckets * BUCKET_BYTES;
  }

  /** The position in a slot modulo 2^40. */
  private static long position(long slot) {
    return slot & POSITION_MASK;
  }

  /** The position in a slot, which is the last before {@code end} that it may be. */
  static long before(long end, long slot) {
    return end - (end - slot & POSITION_MASK);
  }

  static boolean isAsked(long slot) {
    return (slot & ASKED) != 0;
  }

  /** How many records lie before the one that a slot names, of which each changes the next. */
  static int changes(long slot) {
    return (int) (slot >>> CHANGES_SHIFT) & CHANGES_MASK;
  }

  private static long mixed(long hash) {
    long mixed = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
    return mixed ^ mixed >>> 32;
  }

  private int bucket(long mixed) {
    return (int) ((mixed >>> 32) * buckets >>> 32);
  }

  private static long tag(long mixed) {
    return mixed << TAG_SHIFT;
  }

  private static boolean hasTag(long slot, long tag) {
    return slot != 0 && slot >>> TAG_SHIFT == tag >>> TAG_SHIFT;
  }

  private ByteBuffer part(int bucket) {
    return parts[bucket / PART_BUCKETS];
  }

  private static int offset(int bucket, int slot) {
    return (bucket % PART_BUCKETS * SLOTS + slot) * SLOT_BYTES;
  }

  /** The slot of a row; 0: there is none. */
  long find(long hash) {
    long mixed = mixed(hash);
    int bucket = bucket(mixed);
    ByteBuffer part = part(bucket);
    for (int i = 0; i < SLOTS; i++) {
      long slot = (long) SLOT.getVolatile(part, offset(bucket, i));
      if (hasTag(slot, tag(mixed))) {
        return slot;
      }
    }
    return 0;
  }

  /** Takes note that a row was asked for, if its slot is still this one. */
  void asked(long hash, long slot) {
    int bucket = bucket(mixed(hash));
    ByteBuffer part = part(bucket);
    for (int i = 0; i < SLOTS && !isAsked(slot); i++) {
      if (SLOT.compareAndSet(part, offset(bucket, i), slot, slot | ASKED)) {
        return;
      }
    }
  }

  /**
   * Gives a row a slot.
   *
   * @param position above zero
   * @param changes up to 15
   * @param end of the log, beyond the position: the slot goes whose position is farthest before it
   */
  void put(long hash, long position, int changes, long end) {
    remove(hash);
    long mixed = mixed(hash);
    int bucket = bucket(mixed);
    ByteBuffer part = part(bucket);
    int oldest = 0;
    long greatestAge = -1;
    for (int i = 0; i < SLOTS; i++) {
      long slot = (long) SLOT.getVolatile(part, offset(bucket, i));
      long age = slot == 0 ? Long.MAX_VALUE : end - position(slot) & POSITION_MASK;
      if (age > greatestAge) {
        greatestAge = age;
        oldest = i;
      }
    }
    long slot = tag(mixed) | (long) changes << CHANGES_SHIFT | position & POSITION_MASK;
    SLOT.setVolatile(part, offset(bucket, oldest), slot);
  }

  /** Takes the slot of a row away. Who finds one later finds what was put later. */
  void remove(long hash) {
    long mixed = mixed(hash);
    int bucket = bucket(mixed);
    ByteBuffer part = part(bucket);
    for (int i = 0; i < SLOTS; i++) {
      if (hasTag((long) SLOT.getVolatile(part, offset(bucket, i)), tag(mixed))) {
        SLOT.setVolatile(part, offset(bucket, i), 0L);
      }
    }
  }
}
