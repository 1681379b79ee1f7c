package io.ishbase.core.cache.memory;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a reader was shown from being overwritten. Used by one thread at a time. Memory that
 * was let go since the pin was taken or renewed is not used again before it is released; so a pin
 * that is held for long keeps the cache from taking in new rows.
 */
public final class Pin implements AutoCloseable {
  private final Epochs epochs;

  /** Null once it is closed. */
  private @Nullable AtomicLongArray slots;

  private int slot;

  Pin(Epochs epochs, AtomicLongArray slots, int slot) {
    this.epochs = epochs;
    this.slots = slots;
    this.slot = slot;
  }

  /**
   * Lets go of what was shown so far. Nothing is shown until the pin is renewed.
   *
   * @throws IllegalStateException if the pin is closed
   */
  public void rest() {
    if (slots == null) {
      throw new IllegalStateException("The pin is closed");
    }
    slots.set(slot, Epochs.RESTING);
  }

  /**
   * Lets go of what was shown so far, and holds what will be.
   *
   * @throws IllegalStateException if the pin is closed
   */
  public void renew() {
    if (slots == null) {
      throw new IllegalStateException("The pin is closed");
    }
    slots.set(slot, epochs.now());
  }

  public void check() {
    if (slots == null || slots.get(slot) == Epochs.RESTING) {
      throw new IllegalStateException("The pin is closed, or rests");
    }
  }

  /** Lets go of everything. Closing it again does nothing. */
  @Override
  public void close() {
    if (slots != null) {
      slots.set(slot, Epochs.FREE);
      slots = null;
    }
  }
}
