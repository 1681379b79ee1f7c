package io.ishbase.core.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that an attempt does not get on although its worker answers, as when HDFS hangs at its
 * place. Used by one thread.
 */
public final class Stall {
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
  public Stall(long leaseMillis, LongSupplier clock) {
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    this.clock = clock;
    this.changedNanos = clock.getAsLong();
  }

  /**
   * Takes note of an answer.
   *
   * @param counter of what the worker has read and written; null if the answer does not speak of
   *     it, which is taken for progress
   * @param blocksWrites whether a store of the region server does: then a lease has to be enough
   * @return nanoseconds without progress, if these are too many; else 0
   */
  public long check(@Nullable Long counter, boolean blocksWrites) {
    long now = clock.getAsLong();
    if (counter == null || counter != activity) {
      activity = counter == null ? 0 : counter;
      changedNanos = now;
    }
    long without = now - changedNanos;
    return without > (blocksWrites ? leaseNanos : LEASES * leaseNanos) ? without : 0;
  }
}
