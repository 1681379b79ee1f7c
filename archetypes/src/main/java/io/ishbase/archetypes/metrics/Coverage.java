package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Which buckets of a metric are rolled up, for all its series. In such a bucket a series without a
 * value has none, and a series with a mark is open again.
 */
final class Coverage {
  private static final byte[] DONE = Bytes.toBytes(true);

  private Coverage() {}

  /** What says that the bucket beginning at {@code millis} is rolled up; it may be done again. */
  static Put done(String metric, Resolution resolution, long millis) {
    return new Put(Keys.coverage(metric, resolution, resolution.base(millis)))
        .addColumn(MetricsSchema.ROLLED_UP, Bytes.toBytes((short) resolution.offset(millis)), DONE);
  }

  /** The beginnings of the buckets in {@code range} that are rolled up. */
  static Set<Long> in(Table table, String metric, Resolution resolution, TimeRange range)
      throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(Keys.coverage(metric, resolution, resolution.base(range.fromMillis())))
            .withStopRow(
                Keys.coverage(metric, resolution, resolution.base(range.toMillis() - 1)), true)
            .addFamily(MetricsSchema.ROLLED_UP);
    Set<Long> starts = new HashSet<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        int base = Keys.baseOfCoverage(result.getRow());
        for (Cell cell : result.rawCells()) {
          int offset =
              Short.toUnsignedInt(
                  Bytes.toShort(cell.getQualifierArray(), cell.getQualifierOffset(), Short.BYTES));
          long start = resolution.start(base, offset);
          if (range.contains(start)) {
            starts.add(start);
          }
        }
      }
    }
    return starts;
  }
}
