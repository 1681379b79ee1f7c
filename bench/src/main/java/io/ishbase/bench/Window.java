package io.ishbase.bench;

import org.HdrHistogram.Histogram;

/**
 * What was measured in one stretch of time in one mode.
 *
 * @param seconds length of the stretch
 * @param micros latencies in microseconds
 * @param valueBytes value bytes that the client received
 * @param networkBytes bytes that crossed from the storage nodes to the compute node
 */
public record Window(
    ReadMode mode, double seconds, Histogram micros, long valueBytes, long networkBytes) {
  public double perSecond() {
    return micros.getTotalCount() / seconds;
  }

  /** Network bytes for each value byte. */
  public double amplification() {
    return (double) networkBytes / Math.max(1, valueBytes);
  }
}
