package io.ishbase.core;

import java.util.concurrent.TimeUnit;

/** How long a read waits for others than those that answer it. */
public final class Patience {
  /**
   * For the NameNode, in nanoseconds: a collection of it is no failure, a change to another one is.
   * Tests that count requests wait for longer.
   */
  public static final long NAMENODE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(Long.getLong("ishbase.namenode.wait.millis", 1_000));

  private Patience() {}
}
