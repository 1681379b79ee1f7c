package io.ishbase.core.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that an attempt takes longer than any that works. That a worker gets on is its own word
 * ({@link Stall}); one whose word is false for ever would keep the store's files, and a thread of
 * the region server, for ever.
 *
 * <p>So beside the attempt a worker is imagined that is as slow as can be believed. It has all the
 * bytes of the cells before it and {@link #START_BYTES} more; it works at {@link
 * #BYTES_PER_SECOND}, at half the rate that the region server allows if that is less, and at {@link
 * #HELD_BACK_BYTES_PER_SECOND} for as long as the real one says that it makes way for reads. While
 * a store blocks writes no worker makes way, whatever it says. When the imagined one is done, the
 * real one is late: a gigabyte may take 20 minutes, or 11 hours if all of it is held back.
 *
 * <p>The figures: the slowest codec that HBase has writes some MB/s on one processor; one percent
 * of two processors, the share by default when reads want them, writes 0.3 MB/s of GZIP. A bound
 * that is too wide costs time where a worker lies, one that is too narrow costs honest work each
 * time.
 *
 * <p>Used by one thread.
 */
public final class SlowestPace {
  static final long START_BYTES = 256L << 20;
  static final double BYTES_PER_SECOND = 1 << 20;
  static final double HELD_BACK_BYTES_PER_SECOND = 32 << 10;

  /** Between two looks no more than this counts: a machine that slept is no worker's fault. */
  private static final double MOST_SECONDS = 60;

  /** Of the rate that is allowed: a worker learns of a higher one with the next question only. */
  private static final double OF_RATE = 0.5;

  private final LongSupplier clock;
  private final long startNanos;
  private double bytesLeft;
  private long lookedNanos;
  private long heldBackMillis;

  /**
   * It begins now.
   *
   * @param bytes of the cells that are compacted, neither compressed nor encoded
   * @param clock nanoseconds
   */
  public SlowestPace(long bytes, LongSupplier clock) {
    this.bytesLeft = START_BYTES + (double) bytes;
    this.clock = clock;
    this.startNanos = clock.getAsLong();
    this.lookedNanos = startNanos;
  }

  /**
   * Whether even the slowest worker would be done.
   *
   * @param maxBytesPerSecond the rate that is allowed now; 0: any
   * @param newHeldBackMillis for how long the worker says it has made way since the beginning
   * @param blocksWrites whether a store of the region server does
   * @return nanoseconds since the beginning if it would; else 0
   */
  public long check(long maxBytesPerSecond, long newHeldBackMillis, boolean blocksWrites) {
    long now = clock.getAsLong();
    double seconds =
        Math.min(MOST_SECONDS, (now - lookedNanos) / (double) TimeUnit.SECONDS.toNanos(1));
    double heldBack =
        blocksWrites ? 0 : Math.min(seconds, Math.max(0, newHeldBackMillis - heldBackMillis) / 1e3);
    double pace =
        maxBytesPerSecond > 0
            ? Math.min(BYTES_PER_SECOND, OF_RATE * maxBytesPerSecond)
            : BYTES_PER_SECOND;
    bytesLeft -=
        (seconds - heldBack) * pace + heldBack * Math.min(pace, HELD_BACK_BYTES_PER_SECOND);
    lookedNanos = now;
    heldBackMillis = newHeldBackMillis;
    return bytesLeft < 0 ? now - startNanos : 0;
  }
}
