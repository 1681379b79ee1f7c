package io.ishbase.plugin.node;

import io.ishbase.core.Patience;

/**
 * How long a reader still waits for what the NameNode says, of however many files. It holds HBase's
 * locks meanwhile. Used by the reader's thread.
 */
public final class WaitBudget {
  private long leftNanos;

  public WaitBudget() {
    this(Patience.NAMENODE_NANOS);
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
