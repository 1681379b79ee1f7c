package io.ishbase.plugin.local;

import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;

/**
 * What a scan counts of rows.
 *
 * @param region filtered ones, of the region's load
 */
record RowCounts(long filtered, long scanned, long region) {
  RowCounts less(long rows) {
    return new RowCounts(filtered - rows, scanned - rows, region - rows);
  }

  static RowCounts of(LocalRegion region, Scan scan, String mode) throws IOException {
    return of(region, scan, mode, Integer.MAX_VALUE);
  }

  /**
   * Scans.
   *
   * @param most rows after which it ends
   */
  static RowCounts of(LocalRegion region, Scan scan, String mode, int most) throws IOException {
    long before = region.region().getFilteredReadRequestsCount();
    ScannerContext context = ScannerContext.newBuilder().setTrackMetrics(true).build();
    int rows = 0;
    try (RegionScanner scanner = region.open(scan, mode)) {
      List<Cell> row = new ArrayList<>();
      boolean more = true;
      while (more && rows < most) {
        more = scanner.nextRaw(row, context);
        rows += row.isEmpty() ? 0 : 1;
        row.clear();
        ((Shipper) scanner).shipped();
      }
    }
    Map<String, Long> counted = context.getMetrics().getMetricsMap();
    return new RowCounts(
        counted.get(COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME),
        counted.get(COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME),
        region.region().getFilteredReadRequestsCount() - before);
  }
}
