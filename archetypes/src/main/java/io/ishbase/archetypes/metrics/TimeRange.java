package io.ishbase.archetypes.metrics;

/** From {@code fromMillis} on and before {@code toMillis}. */
record TimeRange(long fromMillis, long toMillis) {
  boolean contains(long millis) {
    return fromMillis <= millis && millis < toMillis;
  }

  /** The whole buckets in it; empty: from is not before to. */
  TimeRange whole(Resolution resolution) {
    return new TimeRange(resolution.ceiling(fromMillis), resolution.floor(toMillis));
  }

  boolean isEmpty() {
    return fromMillis >= toMillis;
  }
}
