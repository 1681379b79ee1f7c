package io.ishbase.core.hot;

/**
 * How fast a store's cache is filled anew in the background: as fast as line and storage nodes can
 * spare, and no faster than a rate. One request is on its way at a time. Where requests take twice
 * as long as they lately did for as many bytes, others want line or daemon, and pauses between
 * requests grow up to three times as long as these take; where they do not, pauses go. This is the
 * idea of LEDBAT (RFC 6817), with times of answers in place of one-way delays.
 *
 * <p>The size of answers follows: each is on the line for some milliseconds, however fast that is,
 * since others wait behind it for so long.
 *
 * <p>Used by one thread.
 */
public final class WarmUpPace {
  /** The least that an answer may hold. */
  public static final int LEAST_ANSWER_BYTES = 64 << 10;

  /** The most. */
  public static final int MOST_ANSWER_BYTES = 1 << 20;

  private static final double ANSWER_NANOS = 8e6;

  /** Pauses are at most so many times as long as the requests before them. */
  private static final double MOST_PAUSES = 3;

  /** Pauses shorter than this are none. */
  private static final double LEAST_PAUSES = 0.1;

  /** Requests are late if they take so many times as long as usual. */
  private static final double LATE = 2;

  /** How much a request counts among the last ones: one alone may be late by chance. */
  private static final double WEIGHT = 0.25;

  private static final double FIRST_PAUSES = 0.25;

  /** What is usual is the least, which grows by so much with each request. */
  private static final double GROWTH = 1.02;

  private final long bytesPerSecond;
  private int answerBytes = LEAST_ANSWER_BYTES;
  private double pauses = MOST_PAUSES;

  /** Nanoseconds for a byte of late; 0: not known. */
  private double recent;

  /** The least of that. */
  private double usual;

  /**
   * A pace with this bound.
   *
   * @param bytesPerSecond positive
   */
  public WarmUpPace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** What the next answer may hold. */
  public int answerBytes() {
    return answerBytes;
  }

  /**
   * Takes note of a request.
   *
   * @param bytes of its answer
   * @return the pause after it, in nanoseconds
   */
  public long answered(long nanos, long bytes) {
    // A short one says little of the line.
    if (2 * bytes >= answerBytes) {
      learn((double) Math.max(1, nanos) / bytes);
    }
    double whole = 1e9 * bytes / bytesPerSecond;
    return Math.max((long) (pauses * nanos), (long) whole - nanos);
  }

  private void learn(double nanosOfByte) {
    recent = recent == 0 ? nanosOfByte : recent + WEIGHT * (nanosOfByte - recent);
    usual = usual == 0 ? recent : Math.min(recent, GROWTH * usual);
    pauses =
        recent > LATE * usual
            ? Math.min(MOST_PAUSES, Math.max(FIRST_PAUSES, 2 * pauses))
            : pauses / 2;
    if (pauses < LEAST_PAUSES) {
      pauses = 0;
    }
    double wanted = ANSWER_NANOS / recent;
    double bounded = Math.max(answerBytes / 2.0, Math.min(2.0 * answerBytes, wanted));
    answerBytes = (int) Math.max(LEAST_ANSWER_BYTES, Math.min(MOST_ANSWER_BYTES, bounded));
  }
}
