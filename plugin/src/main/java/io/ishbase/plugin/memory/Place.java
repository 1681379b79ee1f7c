package io.ishbase.plugin.memory;

import io.ishbase.core.memory.Utility;

/** One of those among whom a region server's memory is divided. */
interface Place {
  /** For operators. */
  String name();

  /** Whether its memory is on the Java heap. */
  boolean isOnHeap();

  /** What it may take now, in bytes. */
  long bytes();

  /** What it takes now, in bytes. */
  long usedBytes();

  /**
   * Lets it take so much.
   *
   * @return what it may take from now on: more than it should where it could not give memory back
   *     yet, so that this is to be tried again
   */
  long resize(long bytes);

  /**
   * What memory is worth to it.
   *
   * @param seconds since this was asked last
   * @param sumBytes of all memory that is divided
   */
  Utility utility(double seconds, long sumBytes);

  /** What this comes from, for operators. */
  String reason();
}
