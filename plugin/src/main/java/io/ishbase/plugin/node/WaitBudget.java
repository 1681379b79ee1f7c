package io.ishbase.plugin.node;

import java.util.concurrent.TimeUnit;

/**
 * How long a reader still waits for what the NameNode says, of however many files. It holds HBase's
 * locks meanwhile. Used by the reader's thread.
 */
public final class WaitBudget {
  /** A collection of the NameNode is no failure. */
  static final long WHOLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long leftNanos;

  public WaitBudget() {
    this(WHOLE_NANOS);
  }

  WaitBudget(long nanos) {
    leftNanos = nanos;
  }

  /** What is left; 0: only what is known is taken. */
  long leftNanos() {
    return leftNanos;
  }

  void waited(long nanos) {
    leftNanos = Math.max(0, leftNanos - nanos);
  }
}
