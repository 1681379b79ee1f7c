package io.ishbase.core.hot;

/**
 * How fast a store's cache is filled anew in the background: as fast as line and storage nodes can
 * spare, and no faster than a rate. One request is on its way at a time. Where requests take twice
 * as long as they lately did for as many bytes, others want line or daemon, and there are pauses
 * between requests; where they do not, pauses go. This is the idea of LEDBAT (RFC 6817), with times
 * of answers in place of one-way delays. What loads a daemon then is mostly reads that miss what is
 * on its way, and a row costs it less in such a request: so pauses are at most as long as requests.
 *
 * <p>Where the line is short it is the line that readers wait for, behind each answer for as long
 * as that takes. So pauses may be three times as long as requests, and answers are small.
 *
 * <p>Used by one thread.
 */
public final class WarmUpPace {
  /** The least that an answer may hold. */
  public static final int LEAST_ANSWER_BYTES = 64 << 10;

  /** The most. */
  public static final int MOST_ANSWER_BYTES = 1 << 20;

  /** What a request is to take: much of that is spent on all but its bytes. */
  private static final double ANSWER_NANOS = 30e6;

  private static final double ANSWER_NANOS_OF_SHORT_LINE = 4e6;

  /** Pauses are at most so many times as long as the requests before them. */
  private static final double MOST_PAUSES = 1;

  private static final double MOST_PAUSES_OF_SHORT_LINE = 3;

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
  private double pauses = MOST_PAUSES_OF_SHORT_LINE;

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
   * @param isCut whether the daemon had more, but no room for it
   * @param isShortLine whether a line that carries little stands between
   * @return the pause after it, in nanoseconds
   */
  public long answered(long nanos, long bytes, boolean isCut, boolean isShortLine) {
    // A short one says little of the line.
    if (bytes > 0 && (isCut || 2 * bytes >= answerBytes)) {
      learn((double) Math.max(1, nanos) / bytes, isShortLine);
      if (isCut) {
        // The daemon may have a bound of its own.
        answerBytes = (int) Math.max(LEAST_ANSWER_BYTES, Math.min(answerBytes, 2 * bytes));
      }
    }
    double whole = 1e9 * bytes / bytesPerSecond;
    return Math.max((long) (pauses * nanos), (long) whole - nanos);
  }

  private void learn(double nanosOfByte, boolean isShortLine) {
    double most = isShortLine ? MOST_PAUSES_OF_SHORT_LINE : MOST_PAUSES;
    recent = recent == 0 ? nanosOfByte : recent + WEIGHT * (nanosOfByte - recent);
    usual = usual == 0 ? recent : Math.min(recent, GROWTH * usual);
    pauses =
        recent > LATE * usual ? Math.min(most, Math.max(FIRST_PAUSES, 2 * pauses)) : pauses / 2;
    if (pauses < LEAST_PAUSES) {
      pauses = 0;
    }
    double wanted = (isShortLine ? ANSWER_NANOS_OF_SHORT_LINE : ANSWER_NANOS) / recent;
    double bounded = Math.max(answerBytes / 2.0, Math.min(2.0 * answerBytes, wanted));
    answerBytes = (int) Math.max(LEAST_ANSWER_BYTES, Math.min(MOST_ANSWER_BYTES, bounded));
  }
}
