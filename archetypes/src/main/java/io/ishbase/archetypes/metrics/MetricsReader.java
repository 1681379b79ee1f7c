package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/** Answers one query. Its filters are on rows and columns, which storage nodes apply. */
final class MetricsReader {
  /** Buckets that are open again are read at once if no more than that lie between them. */
  private static final int BUCKETS_BETWEEN = 10;

  /** Which series is wanted when. */
  private interface Wanted {
    boolean contains(Series series, long millis);
  }

  private final Table table;
  private final Query query;
  private final SortedMap<Group, Summary> groups = new TreeMap<>();

  /** Of which a long cannot hold what they add up to; null: that fails the query. */
  private final @Nullable Set<Group> tooLarge;

  MetricsReader(Table table, Query query) {
    this(table, query, null);
  }

  /**
   * One that leaves out what cannot be added up.
   *
   * @param tooLarge to which it is added
   */
  MetricsReader(Table table, Query query, @Nullable Set<Group> tooLarge) {
    this.table = table;
    this.query = query;
    this.tooLarge = tooLarge;
  }

  /**
   * All groups in which there is something.
   *
   * @param series in the order of their rows
   * @param coarsest what may answer at most
   */
  SortedMap<Group, Summary> read(List<Series> series, Resolution coarsest) throws IOException {
    TimeRange range = new TimeRange(query.fromMillis(), query.toMillis());
    read(series, range, coarsest, (one, millis) -> true);
    if (tooLarge != null) {
      groups.keySet().removeAll(tooLarge);
    }
    return groups;
  }

  private void read(List<Series> series, TimeRange range, Resolution coarsest, Wanted wanted)
      throws IOException {
    List<ReadPlan.Part> parts =
        ReadPlan.of(
            range,
            coarsest,
            (resolution, whole) -> Coverage.in(table, query.metric(), resolution, whole));
    for (ReadPlan.Part part : parts) {
      for (List<Series> some : SeriesScan.parts(series)) {
        readOpen(some, part.resolution(), scan(some, part, wanted));
      }
    }
  }

  /** Reads buckets that are open again from what is finer. */
  private void readOpen(
      List<Series> series, Resolution resolution, NavigableMap<Long, Set<Series>> open)
      throws IOException {
    Resolution finer = resolution.finer();
    if (finer == null) {
      return;
    }
    Wanted wanted =
        (one, millis) -> open.getOrDefault(resolution.floor(millis), Set.of()).contains(one);
    Long first = open.isEmpty() ? null : open.firstKey();
    while (first != null) {
      long last = first;
      Long next = open.higherKey(last);
      while (next != null && next - last <= BUCKETS_BETWEEN * resolution.stepMillis()) {
        last = next;
        next = open.higherKey(last);
      }
      Set<Series> some = new HashSet<>();
      open.subMap(first, true, last, true).values().forEach(some::addAll);
      read(
          series.stream().filter(some::contains).toList(),
          new TimeRange(first, last + resolution.stepMillis()),
          finer,
          wanted);
      first = next;
    }
  }

  /** Adds up what {@code part} answers; returns the series for which it does not, by bucket. */
  private NavigableMap<Long, Set<Series>> scan(
      List<Series> series, ReadPlan.Part part, Wanted wanted) throws IOException {
    NavigableMap<Long, Set<Series>> open = new TreeMap<>();
    try (ResultScanner scanner = table.getScanner(scanOf(series, part))) {
      for (Result result : scanner) {
        Keys.DataRow row = Keys.dataRowOf(result.getRow());
        for (Cell cell : result.rawCells()) {
          Column column = Column.of(cell);
          long start = part.resolution().start(row.base(), column.offset());
          if (!part.range().contains(start) || !wanted.contains(row.series(), start)) {
            continue;
          }
          if (column.kind() != Column.Kind.MARK) {
            if (!open.getOrDefault(start, Set.of()).contains(row.series())) {
              add(
                  query.group(row.series(), start),
                  column,
                  Bytes.toLong(cell.getValueArray(), cell.getValueOffset()));
            }
          } else if (Marks.isOpen(CellUtil.cloneValue(cell))) {
            // Marks come before what they are about.
            open.computeIfAbsent(start, unknown -> new HashSet<>()).add(row.series());
          }
        }
      }
    }
    return open;
  }

  private void add(Group group, Column column, long count) {
    try {
      groups.computeIfAbsent(group, unknown -> new Summary()).add(column, count);
    } catch (ArithmeticException e) {
      if (tooLarge == null) {
        throw e;
      }
      tooLarge.add(group);
    }
  }

  private Scan scanOf(List<Series> series, ReadPlan.Part part) {
    boolean seconds = part.resolution() == Resolution.SECOND;
    List<Filter> filters =
        query.isTotalsOnly() && !seconds
            ? List.of(
                new MultipleColumnPrefixFilter(
                    new byte[][] {{Column.Kind.MARK.code()}, {Column.Kind.TOTAL.code()}}))
            : List.of();
    Scan scan = SeriesScan.of(series, part.resolution(), part.range(), filters);
    if (!seconds) {
      return scan.addFamily(MetricsSchema.ROLLED_UP);
    }
    scan.addFamily(MetricsSchema.COUNTERS);
    return query.isTotalsOnly() ? scan : scan.addFamily(MetricsSchema.BINS);
  }
}
