package io.ishbase.core.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** For how long a compaction waits for a free worker before it is carried out here. */
public final class Patience {
  private final LongSupplier clock;
  private final long startNanos;

  /** It begins now; {@code clock}: nanoseconds. */
  public Patience(LongSupplier clock) {
    this.clock = clock;
    this.startNanos = clock.getAsLong();
  }

  /**
   * Whether there is any left. A store that blocks writes, or is about to, has none.
   *
   * @param fill files of the store, of those that make it block writes
   * @param blocksWrites whether any store of the region server does
   */
  public boolean isLeft(long millis, double fill, boolean blocksWrites) {
    return fill < 1
        && !blocksWrites
        && clock.getAsLong() - startNanos < TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
