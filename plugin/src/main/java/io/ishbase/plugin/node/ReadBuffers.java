package io.ishbase.plugin.node;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all reads of a region server together hold of answers. Only what is fetched ahead is
 * refused: a reader that waits always gets its next batch. Thread safe.
 */
public final class ReadBuffers {
  private final long maxBytes;
  private final AtomicLong heldBytes = new AtomicLong();

  public ReadBuffers(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether readers may fetch {@code bytes} more than they need at once. */
  public boolean hasRoom(int bytes) {
    return heldBytes.get() + bytes <= maxBytes;
  }

  /**
   * Holds bytes for an answer that its reader waits for.
   *
   * @param least what is held where there is no room for {@code wanted}
   * @return what is held now
   */
  public int take(int wanted, int least) {
    while (true) {
      long held = heldBytes.get();
      int taken = held + wanted <= maxBytes ? wanted : Math.min(wanted, least);
      if (heldBytes.compareAndSet(held, held + taken)) {
        return taken;
      }
    }
  }

  /** Counts bytes that are on their way or wait for their reader; negative: not any more. */
  public void hold(int bytes) {
    heldBytes.addAndGet(bytes);
  }

  public long heldBytes() {
    return heldBytes.get();
  }
}
