package io.ishbase.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long a storage daemon takes for requests of each kind, and from when on an answer is late or
 * the daemon silent. Of each kind the mean and the mean deviation are known, which a measurement
 * moves by a sixteenth (as TCP does for its time-out: RFC 6298, section 2).
 *
 * <p>Thread safe, without locks: a lost measurement costs nothing.
 */
public final class Latency {
  /** No answer is late, and no daemon watched, before. */
  public static final long LEAST_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Of a kind of which nothing is known. */
  private static final long UNKNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LEAST_SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** Before a sign has come over a connection that was there already. */
  private static final long UNKNOWN_SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  private static final int WEIGHT = 16;

  /** With latencies that are distributed exponentially one answer in a thousand is late. */
  private static final int LATE_DEVIATIONS = 8;

  private static final int LATE_MEANS = 2;
  private static final int SILENT_MEANS = 8;

  private final int kinds;
  private final long mostNanos;

  /** Of each kind, then of all, then of signs of life; 0: nothing is known. */
  private final AtomicLongArray means;

  private final AtomicLongArray deviations;

  /**
   * @param kinds how many there are
   * @param deadlineNanos after which a request has failed; half of it is late in any case
   */
  public Latency(int kinds, long deadlineNanos) {
    this.kinds = kinds;
    this.mostNanos = deadlineNanos / 2;
    this.means = new AtomicLongArray(kinds + 2);
    this.deviations = new AtomicLongArray(kinds + 2);
  }

  /** An answer to a request of that kind took so long, or was given up after so long. */
  public void observed(int kind, long nanos) {
    observe(kind, nanos);
    observe(kinds, nanos);
  }

  /** A sign of life came after so long. */
  public void signed(long nanos) {
    observe(kinds + 1, nanos);
  }

  private void observe(int index, long nanos) {
    long mean = means.get(index);
    if (mean == 0) {
      means.set(index, Math.max(1, nanos));
      deviations.set(index, nanos / 2);
      return;
    }
    long deviation = deviations.get(index);
    deviations.set(index, deviation + (Math.abs(nanos - mean) - deviation) / WEIGHT);
    means.set(index, Math.max(1, mean + (nanos - mean) / WEIGHT));
  }

  /** From when on an answer to a request of that kind is late. */
  public long lateAfterNanos(int kind) {
    long mean = means.get(kind);
    long late =
        mean == 0
            ? UNKNOWN_NANOS
            : Math.max(LATE_MEANS * mean, mean + LATE_DEVIATIONS * deviations.get(kind));
    return Math.min(mostNanos, Math.max(LEAST_LATE_NANOS, late));
  }

  /**
   * A daemon that is watched and answers nothing at all for so long is silent.
   *
   * @param lineNanos for which an answer may wait for what else the line carries
   */
  public long silentAfterNanos(long lineNanos) {
    long sign = means.get(kinds + 1);
    long least = sign == 0 ? UNKNOWN_SILENT_NANOS : LEAST_SILENT_NANOS;
    long usual = Math.max(means.get(kinds), sign);
    return Math.min(mostNanos, Math.max(Math.max(lineNanos, least), SILENT_MEANS * usual));
  }

  /** The mean of all requests of that kind; 0: not known. */
  public long meanNanos(int kind) {
    return means.get(kind);
  }
}
