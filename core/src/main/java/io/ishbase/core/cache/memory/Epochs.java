package io.ishbase.core.cache.memory;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
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
 * <p>The first pins go into slots that lie a cache line apart and are found by the thread, so that
 * readers do not share one. Pins beyond, those of scans that a client takes its time for, share
 * larger blocks in which slots lie close; one is found by some random tries.
 */
public final class Epochs {
  static final long FREE = 0;

  /** The slot is taken, and holds nothing: later than any epoch. */
  static final long RESTING = Long.MAX_VALUE;

  /** Places between two threads' own slots. */
  private static final int STRIDE = 8;

  private static final int OWN_SLOTS = 128;

  /** Slots that are tried there. */
  private static final int OWN_TRIES = 4;

  /** So many slots are tried in each block; if half of them are free, all fail once in 65536. */
  private static final int TRIES = 16;

  private static final int ARRAY_BYTES = 24;

  private final AtomicLong epoch = new AtomicLong(1);
  private final LongConsumer beforeGrowth;
  private final AtomicLongArray own = new AtomicLongArray(OWN_SLOTS * STRIDE);

  /** Blocks of further slots, each twice as large as the one before; none is ever removed. */
  private volatile AtomicLongArray[] blocks = {};

  // Where the oldest pin was found last, and what it was. Used by the writer.
  private AtomicLongArray oldestBlock = own;
  private int oldestSlot;
  private long oldest = Long.MAX_VALUE;

  /**
   * Without pins.
   *
   * @param beforeGrowth is told before so many bytes of heap are taken for more pins
   */
  public Epochs(LongConsumer beforeGrowth) {
    this.beforeGrowth = beforeGrowth;
  }

  long now() {
    return epoch.get();
  }

  public Pin pin() {
    int start = (int) (Thread.currentThread().getId() * 0x9E3779B97F4A7C15L >>> 57);
    for (int i = 0; i < OWN_TRIES; i++) {
      int slot = (start + i) % OWN_SLOTS * STRIDE;
      if (take(own, slot)) {
        return new Pin(this, own, slot);
      }
    }
    while (true) {
      AtomicLongArray[] seen = blocks;
      // The last has as many slots as all others.
      for (int block = seen.length - 1; block >= 0; block--) {
        for (int i = 0; i < TRIES; i++) {
          int slot = ThreadLocalRandom.current().nextInt(seen[block].length());
          if (take(seen[block], slot)) {
            return new Pin(this, seen[block], slot);
          }
        }
      }
      beforeGrowth.accept(ARRAY_BYTES + (long) Long.BYTES * nextLength(seen));
      grow(seen);
    }
  }

  private boolean take(AtomicLongArray block, int slot) {
    return block.get(slot) == FREE && block.compareAndSet(slot, FREE, now());
  }

  private static int nextLength(AtomicLongArray[] blocks) {
    return OWN_SLOTS << blocks.length;
  }

  private synchronized void grow(AtomicLongArray[] full) {
    if (blocks == full) {
      AtomicLongArray[] more = Arrays.copyOf(full, full.length + 1);
      more[full.length] = new AtomicLongArray(nextLength(full));
      blocks = more;
    }
  }

  /** Begins a new epoch. Returns the one that ended. */
  long retire() {
    return epoch.getAndIncrement();
  }

  /**
   * The oldest epoch of which there is a pin; {@link Long#MAX_VALUE} if there is no pin. Later pins
   * are of later epochs, or see nothing that was retired before: so as long as the oldest one is
   * held, it is not looked for again. Used by one thread at a time.
   */
  long oldestPinned() {
    if (oldest != Long.MAX_VALUE && oldestBlock.get(oldestSlot) == oldest) {
      return oldest;
    }
    oldest = Long.MAX_VALUE;
    findOldest(own, STRIDE);
    for (AtomicLongArray block : blocks) {
      findOldest(block, 1);
    }
    return oldest;
  }

  private void findOldest(AtomicLongArray block, int stride) {
    for (int slot = 0; slot < block.length(); slot += stride) {
      long pinned = block.get(slot);
      if (pinned != FREE && pinned < oldest) {
        oldest = pinned;
        oldestBlock = block;
        oldestSlot = slot;
      }
    }
  }

  /** Heap in use. */
  long heapBytes() {
    long bytes = ARRAY_BYTES + (long) Long.BYTES * own.length();
    for (AtomicLongArray block : blocks) {
      bytes += ARRAY_BYTES + (long) Long.BYTES * block.length();
    }
    return bytes;
  }
}
