package io.ishbase.archetypes.metrics;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;

/**
 * How metrics are buffered, kept and rolled up. All writers and roll-ups of a table must use the
 * same {@code lateMillis}, {@code settleMillis} and {@code retentionMillis}.
 *
 * @param bufferColumns from how many waiting columns on a writer sends them
 * @param bufferMillis after how long a writer sends what waits
 * @param futureMillis how far ahead of the clock a measurement may be
 * @param retentionMillis for how long seconds are kept, and measurements may be late; 0: for ever
 * @param lateMillis what is sent later than that after the end of its bucket is late: the writer
 *     says so in the table
 * @param settleMillis how long after it has been sent no increment is applied any more: twice the
 *     operation time-out of the writers' clients, and by how much the clocks of writers and
 *     roll-ups may differ. A bucket is rolled up {@code lateMillis + settleMillis} after its end
 */
public record MetricsOptions(
    int bufferColumns,
    long bufferMillis,
    long futureMillis,
    long retentionMillis,
    long lateMillis,
    long settleMillis) {
  private static final long MINUTE = 60_000;

  /**
   * Options.
   *
   * @throws IllegalArgumentException if one is negative, or the buffer has no place
   */
  public MetricsOptions {
    if (bufferColumns < 1
        || bufferMillis < 0
        || futureMillis < 0
        || retentionMillis < 0
        || lateMillis < 0
        || settleMillis < 0) {
      throw new IllegalArgumentException(
          "Of the options of metrics one is too small: %d, %d, %d, %d, %d, %d"
              .formatted(
                  bufferColumns,
                  bufferMillis,
                  futureMillis,
                  retentionMillis,
                  lateMillis,
                  settleMillis));
    }
    if (retentionMillis > 0 && settleMillis > MetricsSchema.LONGEST_SETTLE_MILLIS) {
      throw new IllegalArgumentException(
          "Increments that may be under way for %d ms cannot be rolled up in time; at most %d with a retention"
              .formatted(settleMillis, MetricsSchema.LONGEST_SETTLE_MILLIS));
    }
    if (retentionMillis > 0 && retentionMillis <= lateMillis + settleMillis) {
      throw new IllegalArgumentException(
          "Seconds that are kept for %d ms expire before they are rolled up, %d ms after them"
              .formatted(retentionMillis, lateMillis + settleMillis));
    }
  }

  /**
   * 10,000 columns or a second in the buffer, an hour ahead, kept for ever, late after a minute;
   * settled after twice the operation time-out of a client with {@code conf}, and a minute.
   */
  public static MetricsOptions of(Configuration conf) {
    long timeout =
        conf.getLong(
            HConstants.HBASE_CLIENT_OPERATION_TIMEOUT,
            HConstants.DEFAULT_HBASE_CLIENT_OPERATION_TIMEOUT);
    return new MetricsOptions(10_000, 1_000, 60 * MINUTE, 0, MINUTE, 2 * timeout + MINUTE);
  }

  /** The same with another buffer. */
  public MetricsOptions withBuffer(int columns, long millis) {
    return new MetricsOptions(
        columns, millis, futureMillis, retentionMillis, lateMillis, settleMillis);
  }

  /** The same with another retention of seconds; 0: for ever. */
  public MetricsOptions withRetention(long millis) {
    return new MetricsOptions(
        bufferColumns, bufferMillis, futureMillis, millis, lateMillis, settleMillis);
  }

  /** The same with other times of settling. */
  public MetricsOptions withSettling(long late, long settle) {
    return new MetricsOptions(
        bufferColumns, bufferMillis, futureMillis, retentionMillis, late, settle);
  }

  /** The end of what can be rolled up at {@code nowMillis}. */
  long closedAt(long nowMillis) {
    return nowMillis - lateMillis - settleMillis;
  }
}
