package io.ishbase.testing;

import java.io.UncheckedIOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never for a time. */
public final class Await {
  private static final long DEADLINE_NANOS = 180_000_000_000L;

  private Await() {}

  /**
   * Returns once {@code condition} holds; fails after three minutes, with what was waited for. What
   * cannot be asked now, by an {@link UncheckedIOException}, does not hold yet.
   */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    UncheckedIOException last = null;
    while (true) {
      try {
        if (condition.getAsBoolean()) {
          return;
        }
      } catch (UncheckedIOException e) {
        last = e;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Gave up waiting for " + what, last);
      }
      LockSupport.parkNanos(1_000_000L);
    }
  }
}
