package io.ishbase.dist.cluster;

import io.ishbase.dist.CliException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Bounded waits for conditions. */
final class Await {
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  /** Something that holds sooner or later; an exception counts as "not yet". */
  interface Condition {
    boolean holds() throws Exception;
  }

  private Await() {}

  /**
   * Polls until {@code condition} holds.
   *
   * @throws CliException if it does not within {@code limit}; one thrown by the condition passes
   *     through at once
   */
  static void until(String what, Duration limit, Condition condition) {
    Exception last = null;
    long start = System.nanoTime();
    do {
      try {
        if (condition.holds()) {
          return;
        }
        last = null;
      } catch (CliException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(POLL_NANOS);
    } while (System.nanoTime() - start < limit.toNanos());
    throw new CliException(
        what + " within " + limit.toSeconds() + " s" + (last == null ? "" : ": " + last), last);
  }

  /** Polls until {@code condition} holds or {@code limit} has passed; tells which. */
  static boolean holdsWithin(Duration limit, Condition condition) {
    try {
      until("", limit, condition);
      return true;
    } catch (CliException e) {
      return false;
    }
  }
}
