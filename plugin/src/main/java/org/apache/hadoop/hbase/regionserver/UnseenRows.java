package org.apache.hadoop.hbase.regionserver;

import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME;

import io.ishbase.plugin.hbase.FilteredRows;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners.Step;
import org.jspecify.annotations.NullMarked;

/**
 * Counts where HBase counts them the rows that a filter dropped before HBase's scanner saw them:
 * for the client's scan metrics, the region's load and its users. In this package because of the
 * region's counter. A coprocessor may scan within a step, by the same thread.
 */
@NullMarked
final class UnseenRows {
  private final HRegion region;

  /** Since the step before. */
  private long rows;

  UnseenRows(HRegion region) {
    this.region = region;
  }

  /** What makes a scanner, which looks for its first cell. */
  interface Opening<T> {
    T open() throws IOException;
  }

  <T> T open(Opening<T> scanner) throws IOException {
    long others = FilteredRows.get();
    try {
      T opened = scanner.open();
      rows = FilteredRows.get() - others;
      return opened;
    } finally {
      FilteredRows.set(others);
    }
  }

  boolean take(Step step, List<Cell> result, ScannerContext context) throws IOException {
    long others = FilteredRows.get();
    try {
      boolean hasMore = step.take(result, context);
      count(rows + FilteredRows.get() - others, context);
      rows = 0;
      return hasMore;
    } finally {
      FilteredRows.set(others);
    }
  }

  private void count(long more, ScannerContext context) {
    if (more == 0) {
      return;
    }
    region.filteredReadRequestsCount.add(more);
    MetricsRegion metrics = region.getMetrics();
    for (long i = 0; metrics != null && i < more; i++) {
      metrics.updateFilteredRecords();
    }
    if (context.isTrackingMetrics()) {
      context.getMetrics().addToCounter(COUNT_OF_ROWS_FILTERED_KEY_METRIC_NAME, more);
      context.getMetrics().addToCounter(COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME, more);
    }
  }
}
