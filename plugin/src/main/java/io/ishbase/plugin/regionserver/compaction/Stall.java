package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import java.util.concurrent.TimeUnit;

/**
 * Notices that an attempt does not get on although its worker answers, as when HDFS hangs at its
 * place. Used by one thread.
 */
final class Stall {
  private final long maxNanos;
  private long activity;
  private long changedNanos = System.nanoTime();

  Stall(long maxMillis) {
    maxNanos = TimeUnit.MILLISECONDS.toNanos(maxMillis);
  }

  /**
   * Takes note of an answer. One that does not speak of its activity is taken for active.
   *
   * @throws OffloadException if nothing has changed for too long
   */
  void check(ProgressResponse answer) throws OffloadException {
    long now = System.nanoTime();
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
