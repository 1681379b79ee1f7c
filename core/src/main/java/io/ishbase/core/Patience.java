package io.ishbase.core;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** How long a read waits for others than those that answer it. */
public final class Patience {
  /** The property of a JVM that says so, in ms; for tests. */
  public static final String NAMENODE = "ishbase.namenode.wait.millis";

  /**
   * For the NameNode, in nanoseconds: a collection of it is no failure, a change to another one is.
   * Tests that count requests wait for longer.
   */
  public static final long NAMENODE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(Long.getLong(NAMENODE, 1_000));

  private Patience() {}

  /** The flags by which a JVM that this one starts waits as long; none if it would in any case. */
  public static List<String> jvmFlags() {
    String millis = System.getProperty(NAMENODE);
    return millis == null ? List.of() : List.of("-D" + NAMENODE + "=" + millis);
  }
}
