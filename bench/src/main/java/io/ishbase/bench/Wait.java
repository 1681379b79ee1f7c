package io.ishbase.bench;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Waiting for a condition with a deadline. */
public final class Wait {
  private static final long POLL_NANOS = 100_000_000L;

  private Wait() {}

  /** A condition that may fail to be evaluated. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Returns once {@code condition} holds.
   *
   * @throws IOException if it does not within {@code millis}; the message names {@code what}
   */
  public static void until(String what, long millis, Condition condition) throws IOException {
    long deadline = System.nanoTime() + millis * 1_000_000L;
    while (!condition.holds()) {
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw new IOException("Gave up waiting for " + what + " after " + millis / 1000 + " s");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
