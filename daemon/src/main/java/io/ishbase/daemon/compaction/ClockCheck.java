package io.ishbase.daemon.compaction;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * Compares this machine's clock, which decides what a compaction drops as expired, with that of the
 * region server that asked for it.
 */
final class ClockCheck {
  private final long theirMillis;
  private final int maxSkewMillis;
  private final long beginNanos = System.nanoTime();

  /**
   * Begins when the request has come.
   *
   * @param theirMillis the region server's clock, in the request
   * @param maxSkewMillis how far the two may be apart
   */
  ClockCheck(long theirMillis, int maxSkewMillis) {
    this.theirMillis = theirMillis;
    this.maxSkewMillis = maxSkewMillis;
  }

  /**
   * How far this machine's clock is ahead of another, which is thought to have gone on evenly.
   *
   * @param theirMillis what the other showed
   * @param thenNanos when it did
   */
  static long aheadMillis(long theirMillis, long thenNanos) {
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - thenNanos);
    return EnvironmentEdgeManager.currentTime() - theirMillis - passed;
  }

  /**
   * Makes sure that they do not differ; the region server's is thought to have gone on evenly since
   * the request.
   *
   * @throws RequestException if they do
   */
  void check() throws RequestException {
    long skew = -aheadMillis(theirMillis, beginNanos);
    // The difference is the one number that has no absolute value.
    if (skew > maxSkewMillis || skew < -maxSkewMillis) {
      throw new RequestException(
          Code.REFUSED, "The clocks differ by " + skew + " ms: what has expired would differ");
    }
  }
}
