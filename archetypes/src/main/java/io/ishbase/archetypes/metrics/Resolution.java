package io.ishbase.archetypes.metrics;

import org.jspecify.annotations.Nullable;

/** How fine time is: the length of a bucket, and how many buckets share a row. */
public enum Resolution {
  /** What is counted as it comes: a row holds an hour. */
  SECOND(1_000L, 3_600),
  /** A row holds a day. */
  MINUTE(60_000L, 1_440),
  /** A row holds 32 days. */
  HOUR(3_600_000L, 768),
  /** A row holds 512 days. */
  DAY(86_400_000L, 512);

  private final long stepMillis;
  private final int columns;

  Resolution(long stepMillis, int columns) {
    this.stepMillis = stepMillis;
    this.columns = columns;
  }

  /** How long a bucket is, in milliseconds. */
  public long stepMillis() {
    return stepMillis;
  }

  /** How long the buckets of a row are together, in milliseconds. */
  long rowMillis() {
    return stepMillis * columns;
  }

  /** The beginning of the bucket with {@code millis}, which is not negative. */
  public long floor(long millis) {
    return millis - millis % stepMillis;
  }

  /** The beginning of the first bucket that begins at {@code millis} or later. */
  long ceiling(long millis) {
    return floor(millis + stepMillis - 1);
  }

  /** The number of the row with {@code millis}, from 1970 on. */
  int base(long millis) {
    return Math.toIntExact(millis / rowMillis());
  }

  /** The number of the bucket with {@code millis} in its row. */
  int offset(long millis) {
    return (int) (millis % rowMillis() / stepMillis);
  }

  /** The beginning of a bucket, in milliseconds. */
  long start(int base, int offset) {
    return base * rowMillis() + offset * stepMillis;
  }

  /** The next finer one; null: there is none. */
  @Nullable Resolution finer() {
    return this == SECOND ? null : values()[ordinal() - 1];
  }
}
