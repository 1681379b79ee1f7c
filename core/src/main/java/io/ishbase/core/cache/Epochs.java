package io.ishbase.core.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

/**
 * Tells when no reader can see memory any longer that has left the index: epoch-based reclamation.
 *
 * <p>A reader writes the present epoch into a slot, then reads the index. A writer takes entries
 * out of the index, then retires their memory, which begins a new epoch, then looks at the slots.
 * All of these are volatile accesses and so in one order: if the writer does not see the reader's
 * slot, the reader does not see the entries. A slot of the retired epoch or an older one means that
 * they may still be read.
 *
 * <p>Slots lie a cache line apart and are found by the thread, so that readers do not share one.
 */
final class Epochs {
  static final long FREE = 0;
  private static final int STRIDE = 8;
  private static final int SLOTS = 128;

  private static final long BLOCK_BYTES = 16 + (long) SLOTS * STRIDE * Long.BYTES;

  private final AtomicLong epoch = new AtomicLong(1);
  private final LongConsumer beforeGrowth;

  /** Blocks of slots; more are added when all are taken, none is ever removed. */
  private volatile AtomicLongArray[] blocks = {new AtomicLongArray(SLOTS * STRIDE)};

  /**
   * Without pins.
   *
   * @param beforeGrowth is told before so many bytes of heap are taken for more pins
   */
  Epochs(LongConsumer beforeGrowth) {
    this.beforeGrowth = beforeGrowth;
  }

  long now() {
    return epoch.get();
  }

  Pin pin() {
    int start = (int) (Thread.currentThread().getId() * 0x9E3779B97F4A7C15L >>> 57);
    while (true) {
      AtomicLongArray[] seen = blocks;
      for (AtomicLongArray block : seen) {
        for (int i = 0; i < SLOTS; i++) {
          int slot = (start + i) % SLOTS * STRIDE;
          if (block.get(slot) == FREE && block.compareAndSet(slot, FREE, now())) {
            return new Pin(this, block, slot);
          }
        }
      }
      beforeGrowth.accept(BLOCK_BYTES);
      grow(seen);
    }
  }

  private synchronized void grow(AtomicLongArray[] full) {
    if (blocks == full) {
      AtomicLongArray[] more = new AtomicLongArray[full.length + 1];
      System.arraycopy(full, 0, more, 0, full.length);
      more[full.length] = new AtomicLongArray(SLOTS * STRIDE);
      blocks = more;
    }
  }

  /** Begins a new epoch. Returns the one that ended. */
  long retire() {
    return epoch.getAndIncrement();
  }

  /** The oldest epoch of which there is a pin; {@link Long#MAX_VALUE} if there is no pin. */
  long oldestPinned() {
    long oldest = Long.MAX_VALUE;
    for (AtomicLongArray block : blocks) {
      for (int slot = 0; slot < block.length(); slot += STRIDE) {
        long pinned = block.get(slot);
        if (pinned != FREE && pinned < oldest) {
          oldest = pinned;
        }
      }
    }
    return oldest;
  }

  /** Heap in use. */
  long heapBytes() {
    return blocks.length * BLOCK_BYTES;
  }
}
