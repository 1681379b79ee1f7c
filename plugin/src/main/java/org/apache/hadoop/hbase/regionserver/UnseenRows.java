package org.apache.hadoop.hbase.regionserver;

import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME;

import io.ishbase.plugin.hbase.FilteredRows;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.NullMarked;

/**
 * Counts where HBase counts them the rows that a filter dropped before HBase's scanner saw them:
 * for the client's scan metrics and the region's load. In this package because of the region's
 * counter.
 */
@NullMarked
final class UnseenRows {
  private final HRegion region;

  /** Since the step before. */
  private long rows;

  UnseenRows(HRegion region) {
    this.region = region;
  }

  /** Of several families each would count the row. */
  static boolean mayBeOf(Scan scan) {
    return scan.getFamilyMap().size() == 1
        && (scan.getFilter() != null || scan.isScanMetricsEnabled());
  }

  /** What this thread did before is another scan's. */
  void begin() {
    FilteredRows.take();
  }

  /** The scanner has looked for its first cell. */
  void opened() {
    rows = FilteredRows.take();
  }

  /** A step was taken. */
  void count(ScannerContext context) {
    rows += FilteredRows.take();
    if (rows == 0) {
      return;
    }
    region.filteredReadRequestsCount.add(rows);
    if (context.isTrackingMetrics()) {
      context.getMetrics().addToCounter(COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME, rows);
      context.getMetrics().addToCounter(COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME, rows);
    }
    rows = 0;
  }
}
