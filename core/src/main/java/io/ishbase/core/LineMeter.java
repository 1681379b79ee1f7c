package io.ishbase.core;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * What the line to the storage nodes carries, and whether it is short: whether making answers
 * smaller saves more time on it than it costs the processors.
 *
 * <p>Two signs are looked at. A probe, an answer of {@link #probeBytes} bytes, takes longer than an
 * empty one by the time that its bytes need, in the queue of everybody's answers. On a busy machine
 * a probe may be slow for other reasons, so the fastest of the last few counts; and a line that may
 * be none of the slow ones is probed with more bytes, whose time stands out from waiting for
 * processors, and is not short before twice as many have said so. And a line carries at least what
 * came over it lately.
 *
 * <p>A line that lets some bytes pass at once before it slows the rest down, as shapers do, looks
 * short while it is full and no more when answers have become small. So one that was short stays so
 * for a while, the longer the more often it becomes so again.
 *
 * <p>Thread safe.
 */
public final class LineMeter {
  private static final int SMALL_BYTES = 64 << 10;

  /** Of the largest probe's answer. */
  public static final int LARGE_BYTES = 256 << 10;

  /** Probes that are remembered. */
  private static final int PROBES = 8;

  /** Of which the fastest tells a slow line, and the slowest one that is short no more. */
  private static final int FEW = 4;

  /** A line that carries less, in bytes a second, is short without doubt. */
  private static final double SLOW = 20e6;

  /** A line that carries less, in bytes a second, is short; one that is short and carries more. */
  private static final double SHORT = 100e6;

  private static final double SHORT_NO_MORE = 150e6;

  /** Of the line, at most, is taken up by probes. */
  private static final double PROBE_SHARE = 0.005;

  /** For so long it stays short, at least and at most. */
  private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long LONGEST_PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** A short line that carries that much more, or less, is another. */
  private static final double CHANGE = 2.5;

  private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What came is counted for so long, and remembered for as long again. */
  private static final long SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int SPANS = 10;

  private final double[] probed = new double[PROBES];
  private final long[] emptyNanos = new long[PROBES];
  private int probes;

  /** Of the last probes so many were large. */
  private int large;

  private final double[] rates = new double[SPANS];
  private int span;
  private long spanStart;
  private long spanBytes;
  private boolean isShort;
  private long shortSince;
  private long shortUntil;
  private long patienceNanos = LEAST_PATIENCE_NANOS;

  /** What it carried when it became short, or changed, and when that was. */
  private double known;

  private long knownSince;

  public LineMeter() {
    Arrays.fill(emptyNanos, Long.MAX_VALUE);
  }

  /** Answers of so many bytes came by {@code now}, in nanoseconds. */
  public synchronized void received(long bytes, long now) {
    long passed = (now - spanStart) / SPAN_NANOS;
    if (passed < 0 || passed >= SPANS) {
      Arrays.fill(rates, 0);
      spanStart = now;
      spanBytes = 0;
      passed = 0;
    }
    for (; passed > 0; passed--) {
      rates[span] = spanBytes * 1e9 / SPAN_NANOS;
      span = (span + 1) % SPANS;
      spanStart += SPAN_NANOS;
      spanBytes = 0;
    }
    spanBytes += bytes;
  }

  /** Bytes of the next probe's answer. */
  public synchronized int probeBytes() {
    return probes < FEW || bytesPerSecond() < SLOW ? SMALL_BYTES : LARGE_BYTES;
  }

  /**
   * An empty answer took that long, and after it a probe's of so many bytes, which came at {@code
   * now}; all in nanoseconds. Returns whether reads over this line may have become dearer or
   * cheaper by much.
   */
  public synchronized boolean probed(int bytes, long emptyTook, long fullTook, long now) {
    received(0, now);
    int slot = probes++ % PROBES;
    emptyNanos[slot] = emptyTook;
    long least = Arrays.stream(emptyNanos).min().orElseThrow();
    // In a queue an empty answer may take longer than a full one: half of the time is its bytes'.
    probed[slot] = bytes * 1e9 / (fullTook - Math.min(least, fullTook / 2));
    large = bytes == LARGE_BYTES ? large + 1 : 0;
    if (probes < FEW) {
      return false;
    }
    double carried = bytesPerSecond();
    if (!isShort) {
      if (carried >= SLOW && (large < PROBES || fastest(PROBES) >= SHORT)) {
        return false;
      }
      becomesShort(now);
    } else if (isShortNoMore(now)) {
      isShort = false;
      shortUntil = now;
    } else if (carried < CHANGE * known && known < CHANGE * carried
        || carried >= SHORT && now - knownSince < patienceNanos) {
      return false;
    }
    known = carried;
    knownSince = now;
    return true;
  }

  /** Bytes a second of the fastest of the last probes, or what came, if that is more. */
  private double fastest(int last) {
    return Math.max(ofLast(last).max().orElseThrow(), Arrays.stream(rates).max().orElseThrow());
  }

  private DoubleStream ofLast(int last) {
    return IntStream.range(Math.max(0, probes - last), probes)
        .mapToDouble(probe -> probed[probe % PROBES]);
  }

  private void becomesShort(long now) {
    boolean again = shortUntil != 0 && now - shortUntil < 4 * patienceNanos;
    patienceNanos =
        again ? Math.min(2 * patienceNanos, LONGEST_PATIENCE_NANOS) : LEAST_PATIENCE_NANOS;
    isShort = true;
    shortSince = now;
  }

  private boolean isShortNoMore(long now) {
    return Arrays.stream(rates).max().orElseThrow() >= SHORT_NO_MORE
        || now - shortSince >= patienceNanos
            && large >= FEW
            && ofLast(FEW).min().orElseThrow() >= SHORT_NO_MORE;
  }

  /** Whether answers are better made smaller; not before there were a few probes. */
  public synchronized boolean isShort() {
    return isShort;
  }

  /** What it carries at least; 0 if that is not known. */
  public synchronized double bytesPerSecond() {
    return probes == 0 ? 0 : fastest(FEW);
  }

  /** Nanoseconds until the next probe. */
  public synchronized long pauseNanos() {
    if (probes < FEW) {
      return LEAST_PAUSE_NANOS;
    }
    double seconds = probeBytes() / (PROBE_SHARE * bytesPerSecond());
    return Math.max(LEAST_PAUSE_NANOS, (long) Math.min(LONGEST_PAUSE_NANOS, seconds * 1e9));
  }
}
