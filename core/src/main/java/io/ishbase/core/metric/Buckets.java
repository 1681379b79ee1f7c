package io.ishbase.core.metric;

import java.util.concurrent.atomic.LongAdder;

/**
 * Times by how long they were: the cumulative counts of a histogram of Prometheus, which adds up
 * over servers as percentiles do not. Thread safe; to count takes some nanoseconds.
 */
public final class Buckets {
  private static final double MICROS_A_SECOND = 1e6;

  /** From what a page cache answers to what nobody waits for. */
  private static final long[] BOUNDS_MICROS = {
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000, 5_000_000
  };

  private final LongAdder[] counts = new LongAdder[BOUNDS_MICROS.length + 1];
  private final LongAdder sumMicros = new LongAdder();

  public Buckets() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  public void add(long micros) {
    int bucket = 0;
    while (bucket < BOUNDS_MICROS.length && micros > BOUNDS_MICROS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
    sumMicros.add(micros);
  }

  /** How many there were. */
  public long count() {
    return below(BOUNDS_MICROS.length);
  }

  /** Their sum, in seconds. */
  public double sumSeconds() {
    return sumMicros.sum() / MICROS_A_SECOND;
  }

  /** Bounds but for the last, which is infinite. */
  static int bounds() {
    return BOUNDS_MICROS.length;
  }

  /** A bound, in seconds, included. */
  static double boundSeconds(int bound) {
    return BOUNDS_MICROS[bound] / MICROS_A_SECOND;
  }

  /** How many were at most as long as the bound says; beyond the last: all. */
  long below(int bound) {
    long sum = 0;
    for (int i = 0; i <= bound; i++) {
      sum += counts[i].sum();
    }
    return sum;
  }
}
