package io.ishbase.bench.scenario;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Waits until what a server shows of itself stands still. */
final class Settled {
  /**
   * HBase publishes its counters once a second; after this time without a change they are final.
   */
  private static final Duration QUIET = Duration.ofMillis(1500);

  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Looks at counters. */
  @FunctionalInterface
  interface Look {
    Map<String, Double> look() throws IOException;
  }

  private Settled() {}

  /**
   * The counters once they stand still.
   *
   * @throws IOException if they do not
   */
  static Map<String, Double> of(Look counters) throws IOException {
    long start = System.nanoTime();
    long changed = start;
    Map<String, Double> last = counters.look();
    while (System.nanoTime() - changed < QUIET.toNanos()) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new IOException("what is under way does not end: " + last);
      }
      LockSupport.parkNanos(QUIET.toNanos() / 10);
      Map<String, Double> now = counters.look();
      if (!now.equals(last)) {
        changed = System.nanoTime();
        last = now;
      }
    }
    return last;
  }
}
