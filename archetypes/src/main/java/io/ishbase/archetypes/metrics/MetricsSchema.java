package io.ishbase.archetypes.metrics;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** The column families of a table of metrics. */
final class MetricsSchema {
  /** Totals by second: every value is a long, so HBase's aggregation client can add them up. */
  static final byte[] COUNTERS = Bytes.toBytes("c");

  /** Bins of distributions by second. */
  static final byte[] BINS = Bytes.toBytes("b");

  /** What is rolled up, its marks, the directory of series, and what of a metric is rolled up. */
  static final byte[] ROLLED_UP = Bytes.toBytes("u");

  /**
   * How much longer than asked for seconds can be rolled up. What comes at the last moment is of a
   * day that began a day before, and its mark may be taken away by the run of the next day, once it
   * has settled.
   */
  static final long ROLLED_UP_LATE_MILLIS = TimeUnit.HOURS.toMillis(60);

  /** The longest time to settle for which that suffices. */
  static final long LONGEST_SETTLE_MILLIS = TimeUnit.HOURS.toMillis(11);

  /** How much longer than asked for seconds are kept, and more than they can be rolled up. */
  private static final long SLACK_SECONDS = TimeUnit.DAYS.toSeconds(3);

  private MetricsSchema() {}

  static TableDescriptorBuilder table(TableName name, MetricsOptions options) {
    long seconds =
        options.retentionMillis() == 0
            ? HConstants.FOREVER
            : (options.retentionMillis() + 999) / 1_000 + SLACK_SECONDS;
    int kept = (int) Math.min(seconds, HConstants.FOREVER);
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(family(COUNTERS, kept))
        .setColumnFamily(family(BINS, kept))
        .setColumnFamily(family(ROLLED_UP, HConstants.FOREVER));
  }

  private static ColumnFamilyDescriptor family(byte[] name, int timeToLive) {
    return ColumnFamilyDescriptorBuilder.newBuilder(name)
        .setMaxVersions(1)
        .setTimeToLive(timeToLive)
        .build();
  }

  /** For how long seconds of a table are asked for, in milliseconds; 0: for ever. */
  static long retentionMillis(TableDescriptor table) {
    int seconds = table.getColumnFamily(COUNTERS).getTimeToLive();
    return seconds == HConstants.FOREVER ? 0 : Math.max(1, (seconds - SLACK_SECONDS) * 1_000);
  }

  /** The family of a column. */
  static byte[] family(Resolution resolution, Column column) {
    if (resolution != Resolution.SECOND) {
      return ROLLED_UP;
    }
    return column.kind() == Column.Kind.TOTAL ? COUNTERS : BINS;
  }

  /** Whether {@code families} are those of a table of metrics. */
  static boolean isIn(Collection<byte[]> families) {
    return families.stream().filter(MetricsSchema::isFamily).count() == 3;
  }

  private static boolean isFamily(byte[] name) {
    return Bytes.equals(name, COUNTERS)
        || Bytes.equals(name, BINS)
        || Bytes.equals(name, ROLLED_UP);
  }
}
