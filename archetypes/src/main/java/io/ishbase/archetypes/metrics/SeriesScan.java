package io.ishbase.archetypes.metrics;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;

/** Scans of some time of some series: one range of rows for each, to which the scan seeks. */
final class SeriesScan {
  private static final int SERIES_IN_A_SCAN = 1_000;
  private static final int CELLS_IN_A_BATCH = 10_000;

  private SeriesScan() {}

  /** {@code series} by as many as one scan is to read. */
  static List<List<Series>> parts(List<Series> series) {
    List<List<Series>> parts = new ArrayList<>();
    for (int i = 0; i < series.size(); i += SERIES_IN_A_SCAN) {
      parts.add(series.subList(i, Math.min(i + SERIES_IN_A_SCAN, series.size())));
    }
    return parts;
  }

  /**
   * A scan of the rows with some of {@code range}. What it returns of a row may come in several
   * results.
   *
   * @param series at least one, in the order of their rows
   * @param filters what else must hold; by row or column, so that storage nodes apply it
   */
  static Scan of(
      List<Series> series, Resolution resolution, TimeRange range, List<Filter> filters) {
    List<RowRange> rows = new ArrayList<>();
    series.forEach(one -> rows.add(rows(one, resolution, range)));
    Scan scan =
        new Scan()
            .withStartRow(rows.get(0).getStartRow())
            .withStopRow(rows.get(rows.size() - 1).getStopRow())
            .setBatch(CELLS_IN_A_BATCH);
    List<Filter> all = new ArrayList<>();
    if (rows.size() > 1) {
      all.add(new MultiRowRangeFilter(rows));
    }
    all.addAll(filters);
    return switch (all.size()) {
      case 0 -> scan;
      case 1 -> scan.setFilter(all.get(0));
      default -> scan.setFilter(new FilterList(all));
    };
  }

  private static RowRange rows(Series series, Resolution resolution, TimeRange range) {
    int first = resolution.base(range.fromMillis());
    int last = resolution.base(range.toMillis() - 1);
    return new RowRange(
        Keys.data(series, resolution, first, 0),
        true,
        Keys.data(series, resolution, last + 1, 0),
        false);
  }
}
