package io.ishbase.daemon.compaction;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;

/**
 * Compares this machine's clock, which decides what a compaction drops as expired, with that of the
 * region server that asked for it.
 */
final class ClockCheck {
  private final CallersClock.Reading theirs;
  private final int maxSkewMillis;

  /**
   * Begins when the request has come.
   *
   * @param theirMillis the region server's clock, in the request
   * @param maxSkewMillis how far the two may be apart
   */
  ClockCheck(long theirMillis, int maxSkewMillis) {
    this.theirs = new CallersClock.Reading(theirMillis, System.nanoTime());
    this.maxSkewMillis = maxSkewMillis;
  }

  /**
   * Makes sure that they do not differ; the region server's is thought to have gone on evenly since
   * the request.
   *
   * @throws RequestException if they do
   */
  void check() throws RequestException {
    long skew = theirs.now() - CallersClock.ownMillis();
    // The difference is the one number that has no absolute value.
    if (skew > maxSkewMillis || skew < -maxSkewMillis) {
      throw new RequestException(
          Code.REFUSED, "The clocks differ by " + skew + " ms: what has expired would differ");
    }
  }
}
