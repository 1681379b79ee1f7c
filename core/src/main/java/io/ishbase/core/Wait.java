package io.ishbase.core;

import java.util.concurrent.TimeUnit;

/**
 * How a reader waits for a storage daemon: in short steps, behind each of which it looks whether
 * the answer is late for its kind, and whether the daemon is silent. It is watched all the time. A
 * daemon that has answered nobody while an answer became late is in doubt. When a third of a watch
 * is over it is asked for a sign of life, and if no answer comes from it to anybody until the watch
 * ends it is silent; with an answer the next watch begins.
 *
 * <p>A step that took much longer than it was to take says nothing of the daemon: the reader's own
 * process stood still, and what the daemon said meanwhile is only now being read. It is not
 * counted.
 *
 * <p>A pure state machine, for one thread.
 */
public final class Wait {
  private static final long STEP_NANOS = Latency.LEAST_LATE_NANOS;
  private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Of a watch, so much is over before the daemon is asked: answers are signs, too. */
  private static final int SIGN_PART = 3;

  private final long silentNanos;
  private long lateNanos;
  private long waitedNanos;
  private long watchedNanos;
  private long answersBefore;
  private boolean isLate;
  private boolean isUnanswered;
  private boolean isSilent;
  private boolean asksForSign;

  /**
   * @param lateNanos from when on the answer is late; {@code Long.MAX_VALUE}: never
   * @param silentNanos how long a watch takes; {@code Long.MAX_VALUE}: for ever
   * @param agoNanos when the request was sent; a step is waited in any case
   * @param answers that the daemon has given since it is known, to anybody
   */
  public Wait(long lateNanos, long silentNanos, long agoNanos, long answers) {
    this.lateNanos = lateNanos;
    this.silentNanos = silentNanos;
    this.waitedNanos = Math.max(0, Math.min(agoNanos, lateNanos - STEP_NANOS));
    this.answersBefore = answers;
  }

  /** The longest step to wait now. */
  public long stepNanos() {
    long left = lateNanos - waitedNanos;
    return left > 0 ? Math.min(STEP_NANOS, left) : STEP_NANOS;
  }

  /**
   * A step is over, and the answer has not come.
   *
   * @param nanos that it took
   * @param answers that the daemon has given since it is known, to anybody
   */
  public void stepped(long nanos, long answers) {
    isLate = false;
    isUnanswered = false;
    asksForSign = false;
    if (nanos > stepNanos() + SLACK_NANOS) {
      return;
    }
    boolean wasLate = waitedNanos >= lateNanos;
    waitedNanos += nanos;
    isLate = !wasLate && waitedNanos >= lateNanos;
    if (silentNanos == Long.MAX_VALUE) {
      return;
    }
    if (answers != answersBefore) {
      watchedNanos = 0;
      answersBefore = answers;
    } else {
      watchedNanos += nanos;
      isUnanswered = waitedNanos >= lateNanos && watchedNanos >= Latency.LEAST_LATE_NANOS;
      isSilent = watchedNanos >= silentNanos;
      // Again in each step: a sign that failed at once says nothing.
      asksForSign = !isSilent && watchedNanos >= silentNanos / SIGN_PART;
    }
  }

  /** Whether the answer has become late in the last step. */
  public boolean isLate() {
    return isLate;
  }

  /** Whether the answer is late, and the daemon has lately answered nobody else either. */
  public boolean isUnanswered() {
    return isUnanswered;
  }

  /** Whether the daemon is to be asked for a sign of life. */
  public boolean asksForSign() {
    return asksForSign;
  }

  /** Whether the daemon is silent. */
  public boolean isSilent() {
    return isSilent;
  }

  /** The same was asked again, and is late after so long from now on. */
  public void again(long nanos) {
    waitedNanos = 0;
    lateNanos = nanos;
  }
}
