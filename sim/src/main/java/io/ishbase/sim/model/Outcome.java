package io.ishbase.sim.model;

import java.util.List;

/**
 * What a run gave.
 *
 * @param requests Gets, Scans and Puts
 * @param scans of them
 * @param queries the same, but each Next() of a Scan is one
 * @param nanos virtual time
 * @param bytesIn bytes from storage
 * @param bytesOut bytes to storage
 * @param inBusy share of the time in which there was something to carry from storage
 * @param outBusy the same to storage
 * @param rpcs requests to storage
 * @param blocks of them, those for a block
 * @param cells that the others asked for
 * @param getHits Gets that asked nobody
 * @param gets all of them
 * @param cpuNanos processor time of both sides
 * @param meanNanos of a request, from its beginning to its end
 * @param windows of equal numbers of queries, in order
 * @param events of the event loop
 */
public record Outcome(
    long requests,
    long scans,
    long queries,
    long nanos,
    long bytesIn,
    long bytesOut,
    double inBusy,
    double outBusy,
    long rpcs,
    long blocks,
    long cells,
    long getHits,
    long gets,
    long cpuNanos,
    double meanNanos,
    long upgrades,
    long downgrades,
    List<Window> windows,
    long events) {
  /** A part of a run. */
  public record Window(long queries, long nanos, long upgrades, long downgrades) {}

  /** Queries a second. */
  public double qps() {
    return queries * 1e9 / nanos;
  }

  /** Processor time as a part of the time of all requests. */
  public double cpuShare() {
    return cpuNanos / (meanNanos * requests);
  }
}
