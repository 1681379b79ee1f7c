package io.ishbase.core.hot;

/**
 * How fast a store's cache is filled anew in the background. Two bounds hold: a rate, and a share
 * of the time during which a request is on its way. Where reads load the line or the storage nodes
 * the requests take longer, and so do the pauses between them.
 */
public final class WarmUpPace {
  /** Pauses are at least so many times as long as the requests before them. */
  private static final int PAUSES_PER_REQUEST = 3;

  private final long bytesPerSecond;

  /**
   * A pace with this bound.
   *
   * @param bytesPerSecond positive
   */
  public WarmUpPace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** The pause after a request, in nanoseconds. */
  public long pauseNanos(long requestNanos, long bytes) {
    double whole = 1e9 * bytes / bytesPerSecond;
    return Math.max(PAUSES_PER_REQUEST * requestNanos, (long) whole - requestNanos);
  }
}
