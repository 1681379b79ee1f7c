package io.ishbase.plugin.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that an attempt does not get on although its worker answers, as when HDFS hangs at its
 * place. Used by one thread.
 */
final class Stall {
  /**
   * Leases without any progress after which a worker that still answers is given up on. HDFS needs
   * one minute ({@code dfs.client.socket-timeout}) to notice that a DataNode of a file is silent,
   * and then goes on without it: by default this is longer.
   */
  private static final int LEASES = 4;

  private final long leaseNanos;
  private final LongSupplier clock;
  private long activity;
  private long changedNanos;

  /** {@code clock}: nanoseconds. */
  Stall(long leaseMillis, LongSupplier clock) {
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    this.clock = clock;
    this.changedNanos = clock.getAsLong();
  }

  /**
   * Takes note of an answer. One that does not speak of its activity is taken for active.
   *
   * @param blocksWrites whether a store of the region server does: then a lease has to be enough
   * @throws OffloadException if nothing has changed for too long
   */
  void check(ProgressResponse answer, boolean blocksWrites) throws OffloadException {
    long now = clock.getAsLong();
    long maxNanos = blocksWrites ? leaseNanos : LEASES * leaseNanos;
    if (!answer.hasActivity() || answer.getActivity() != activity) {
      activity = answer.getActivity();
      changedNanos = now;
    } else if (now - changedNanos > maxNanos) {
      throw new OffloadException(
          LocalReason.STALLED,
          "Nothing read or written for "
              + TimeUnit.NANOSECONDS.toMillis(now - changedNanos)
              + " ms, after "
              + answer.getCells()
              + " cells");
    }
  }
}
