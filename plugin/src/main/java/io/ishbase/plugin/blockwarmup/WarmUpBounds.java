package io.ishbase.plugin.blockwarmup;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many warm-ups of a region server wait or are at work, and for how long. Each holds the files
 * that were compacted, and sends reads to them, from its compaction's commit on: a night of major
 * compactions must not make a queue of hours.
 */
final class WarmUpBounds {
  private final Semaphore free;
  private final long maxMillis;
  private final ScheduledExecutorService clock;

  /** {@code atOnce} at most, each for {@code maxMillis} at most. */
  WarmUpBounds(int atOnce, long maxMillis, ScheduledExecutorService clock) {
    this.free = new Semaphore(atOnce);
    this.maxMillis = maxMillis;
    this.clock = clock;
  }

  /** One that waits or is at work. */
  final class Place implements AutoCloseable {
    private @Nullable ScheduledFuture<?> expiry;
    private boolean isLeft;

    /** From now on {@code expire} is called when the time is over, unless it has been left. */
    synchronized void begin(Runnable expire) {
      if (!isLeft) {
        expiry = clock.schedule(expire, maxMillis, TimeUnit.MILLISECONDS);
      }
    }

    /** Leaves it to another. To do so again changes nothing. */
    @Override
    public synchronized void close() {
      if (!isLeft) {
        isLeft = true;
        if (expiry != null) {
          expiry.cancel(false);
        }
        free.release();
      }
    }
  }

  /** A place for one more, or null if there is none. */
  @Nullable Place enter() {
    return free.tryAcquire() ? new Place() : null;
  }
}
