package io.ishbase.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * How a daemon's aggregates give way to its reads. No more of them are at work than half of the
 * processors, one at least. While reads come, each rests as long as it has worked: half of its time
 * it has in any case. Where others wait for their turn, an answer ends early, and whoever asked
 * goes on behind them.
 *
 * <p>Thread safe; a {@link Turn} belongs to the thread that works.
 */
public final class AggregatePace {
  /** Work between two looks for reads. */
  static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A block that comes slowly from a disk is no work to rest from. */
  static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Answers in the time of one, where others wait. */
  static final int SHORT_ANSWERS = 16;

  private final IntSupplier waiting;
  private final LongSupplier clock;
  private final LongConsumer rest;
  private final AtomicInteger readsUnderWay = new AtomicInteger();
  private final AtomicLong readsBegun = new AtomicLong();

  /**
   * @param waiting aggregates that no handler works on yet
   * @param clock nanoseconds
   * @param rest waits for so many nanoseconds, or less
   */
  public AggregatePace(IntSupplier waiting, LongSupplier clock, LongConsumer rest) {
    this.waiting = waiting;
    this.clock = clock;
    this.rest = rest;
  }

  /** Aggregates that a machine with so many processors works on at once. */
  public static int handlers(int processors) {
    return Math.max(1, processors / 2);
  }

  /** Aggregates that may wait: the last of them for about two answers' time, as most are short. */
  public static int queue(int handlers) {
    return 2 * SHORT_ANSWERS * handlers;
  }

  public void readBegun() {
    readsBegun.incrementAndGet();
    readsUnderWay.incrementAndGet();
  }

  public void readEnded() {
    readsUnderWay.decrementAndGet();
  }

  /** How long the next answer may take, of {@code longestNanos} if nobody waits. */
  public long answerNanos(long longestNanos) {
    return waiting.getAsInt() > 0 ? longestNanos / SHORT_ANSWERS : longestNanos;
  }

  /** Begins the work on an answer. */
  public Turn turn() {
    return new Turn();
  }

  /** The work on one answer. */
  public final class Turn {
    private long sinceNanos = clock.getAsLong();
    private long readsSeen = readsBegun.get();

    private Turn() {}

    /**
     * Rests if it is time to, but not beyond {@code untilNanos}; to be called often.
     *
     * @return what time it is then
     */
    public long giveWay(long untilNanos) {
      long now = clock.getAsLong();
      long worked = now - sinceNanos;
      if (worked < SLICE_NANOS) {
        return now;
      }
      long begun = readsBegun.get();
      boolean isAlone = begun == readsSeen && readsUnderWay.get() == 0;
      long nanos = Math.min(Math.min(worked, LONGEST_REST_NANOS), untilNanos - now);
      if (!isAlone && nanos > 0) {
        rest.accept(nanos);
        now = clock.getAsLong();
      }
      readsSeen = begun;
      sinceNanos = now;
      return now;
    }
  }
}
