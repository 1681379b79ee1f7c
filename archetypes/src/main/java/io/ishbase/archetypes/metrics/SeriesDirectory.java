package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Which series a metric has: a row each, with a column for each tag. A series is in it before its
 * first increment is sent. What tags must be is a filter on a few columns, which storage nodes
 * apply.
 */
final class SeriesDirectory {
  private static final byte[] EXISTS = Bytes.toBytes("s");
  private static final String TAG = "t";

  private SeriesDirectory() {}

  /** What enters {@code series}; it may be done again. */
  static Put entry(Series series) {
    Put put = new Put(Keys.directory(series));
    put.addColumn(MetricsSchema.ROLLED_UP, EXISTS, Bytes.toBytes(true));
    series
        .tags()
        .forEach(
            (key, value) ->
                put.addColumn(MetricsSchema.ROLLED_UP, qualifier(key), Bytes.toBytes(value)));
    return put;
  }

  /** The series of {@code metric} whose tags are as said, in the order of their rows. */
  static List<Series> find(Table table, String metric, SortedMap<String, Optional<String>> tags)
      throws IOException {
    Scan scan =
        new Scan()
            .setStartStopRowForPrefixScan(Keys.directory(metric))
            .addFamily(MetricsSchema.ROLLED_UP);
    if (!tags.isEmpty()) {
      FilterList all = new FilterList(FilterList.Operator.MUST_PASS_ALL);
      tags.forEach((key, value) -> all.addFilter(filter(key, value)));
      scan.setFilter(all);
    }
    List<Series> series = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        series.add(Keys.seriesOf(result.getRow()));
      }
    }
    return series;
  }

  private static SingleColumnValueFilter filter(String key, Optional<String> value) {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(
            MetricsSchema.ROLLED_UP,
            qualifier(key),
            // Every value is at least the empty one.
            value.isPresent() ? CompareOperator.EQUAL : CompareOperator.GREATER_OR_EQUAL,
            Bytes.toBytes(value.orElse("")));
    filter.setFilterIfMissing(true);
    return filter;
  }

  private static byte[] qualifier(String key) {
    return Bytes.toBytes(TAG + key);
  }
}
