package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Writes what buckets that are closed add up to. What is written is the value itself, so doing it
 * twice, or at two places at once, or again after a crash, gives the same. A bucket's values are
 * written first, then that it is rolled up; until then readers take it from what is finer.
 *
 * <p>Why no increment is missed: one that is sent before the end of its bucket plus {@link
 * MetricsOptions#lateMillis} has been applied or never will be, {@link MetricsOptions#settleMillis}
 * later, and no bucket is rolled up before. One that is sent after that is announced by a mark
 * ({@link Marks}). A value is only written if the mark beside it is still the one that was seen
 * before the finer values were read, and was put longer than that ago.
 */
public final class RollUp {
  /**
   * What a run did.
   *
   * @param buckets how many buckets of time it looked at and did not find rolled up completely
   * @param written how many values of a series in a bucket it wrote
   * @param leftOpen how many it left to a later run: something late came a short while ago, or a
   *     long cannot hold what they add up to, so that what is finer answers for them
   */
  public record Done(int buckets, int written, int leftOpen) {
    private Done plus(Done other) {
      return new Done(buckets + other.buckets, written + other.written, leftOpen + other.leftOpen);
    }
  }

  private static final Done NOTHING = new Done(0, 0, 0);
  private static final int ROWS_IN_A_BATCH = 1_000;

  private record Bucket(Series series, long startMillis) {}

  private final Connection connection;
  private final TableName name;
  private final MetricsOptions options;
  private final LongSupplier clock;

  RollUp(Connection connection, TableName name, MetricsOptions options, LongSupplier clock) {
    this.connection = connection;
    this.name = name;
    this.options = options;
    this.clock = clock;
  }

  /**
   * Rolls up by minute, hour and day what began at {@code fromMillis} or later and is closed before
   * {@code toMillis}, as far as it is not done or something came late.
   *
   * @throws IllegalArgumentException if seconds at {@code fromMillis} may have expired
   * @throws IOException if HBase fails; some buckets may be rolled up then
   */
  public Done run(String metric, long fromMillis, long toMillis) throws IOException {
    return all(metric, fromMillis, toMillis, false);
  }

  /** The same for all that is closed, done or not. */
  public Done again(String metric, long fromMillis, long toMillis) throws IOException {
    return all(metric, fromMillis, toMillis, true);
  }

  private Done all(String metric, long fromMillis, long toMillis, boolean again)
      throws IOException {
    // A query's checks are those of a roll-up.
    Query query = Query.of(metric, fromMillis, toMillis);
    long now = clock.getAsLong();
    long keptMillis = options.retentionMillis() + MetricsSchema.ROLLED_UP_LATE_MILLIS;
    if (options.retentionMillis() > 0 && fromMillis < now - keptMillis) {
      throw new IllegalArgumentException(
          "Seconds of %s at %d ms may have expired: no roll-up can be made of them"
              .formatted(metric, fromMillis));
    }
    Done done = NOTHING;
    try (Table table = connection.getTable(name)) {
      List<Series> series = SeriesDirectory.find(table, metric, query.tags());
      long end = Math.min(toMillis, options.closedAt(now));
      for (Resolution resolution : List.of(Resolution.MINUTE, Resolution.HOUR, Resolution.DAY)) {
        TimeRange whole = new TimeRange(fromMillis, end).whole(resolution);
        long step = chunkMillis(resolution);
        for (long at = whole.fromMillis(); at < whole.toMillis(); ) {
          long next = Math.min(at - at % step + step, whole.toMillis());
          TimeRange chunk = new TimeRange(at, next);
          done = done.plus(new Chunk(table, metric, series, resolution, chunk, again).run());
          at = next;
        }
      }
    }
    return done;
  }

  /** How much is read before it is written. */
  private static long chunkMillis(Resolution resolution) {
    return resolution == Resolution.MINUTE
        ? Resolution.HOUR.stepMillis()
        : Resolution.DAY.stepMillis();
  }

  /** Some buckets of all series. */
  private final class Chunk {
    private final Table table;
    private final String metric;
    private final List<Series> series;
    private final Resolution resolution;
    private final TimeRange range;
    private final boolean again;

    /** Of which a long cannot hold what they add up to: they stay open, and all others go on. */
    private final Set<Bucket> tooLarge = new HashSet<>();

    Chunk(
        Table table,
        String metric,
        List<Series> series,
        Resolution resolution,
        TimeRange range,
        boolean again) {
      this.table = table;
      this.metric = metric;
      this.series = series;
      this.resolution = resolution;
      this.range = range;
      this.again = again;
    }

    Done run() throws IOException {
      List<Long> missing = missing();
      NavigableSet<Long> buckets = new TreeSet<>(missing);
      Done done = NOTHING;
      // As many as are held in memory.
      for (List<Series> some : SeriesScan.parts(series)) {
        done = done.plus(run(some, again || !missing.isEmpty(), buckets));
      }
      write(missing);
      return new Done(again ? buckets() : buckets.size(), done.written(), done.leftOpen());
    }

    /**
     * Rolls up some series.
     *
     * @param all whether all of them, or those with an open mark
     * @param buckets to roll up; those of open marks are added
     */
    private Done run(List<Series> some, boolean all, NavigableSet<Long> buckets)
        throws IOException {
      long readMillis = clock.getAsLong();
      Map<Bucket, byte[]> marks = marks(some);
      Set<Series> wanted = new HashSet<>();
      marks.forEach(
          (bucket, mark) -> {
            if (Marks.isOpen(mark)) {
              wanted.add(bucket.series());
              buckets.add(bucket.startMillis());
            }
          });
      if (!all && wanted.isEmpty()) {
        return NOTHING;
      }
      TimeRange span =
          again ? range : new TimeRange(buckets.first(), buckets.last() + resolution.stepMillis());
      tooLarge.clear();
      List<Series> read = all ? some : some.stream().filter(wanted::contains).toList();
      return write(values(read, span), marks, readMillis);
    }

    private int buckets() {
      return (int) ((range.toMillis() - range.fromMillis()) / resolution.stepMillis());
    }

    private List<Long> missing() throws IOException {
      Set<Long> there = Coverage.in(table, metric, resolution, range);
      List<Long> missing = new ArrayList<>();
      for (long at = range.fromMillis(); at < range.toMillis(); at += resolution.stepMillis()) {
        if (!there.contains(at)) {
          missing.add(at);
        }
      }
      return missing;
    }

    /** All marks, those that were taken away among them. */
    private Map<Bucket, byte[]> marks(List<Series> some) throws IOException {
      Map<Bucket, byte[]> marks = new HashMap<>();
      Scan scan =
          SeriesScan.of(
                  some,
                  resolution,
                  range,
                  List.of(new ColumnPrefixFilter(new byte[] {Column.Kind.MARK.code()})))
              .addFamily(MetricsSchema.ROLLED_UP);
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result result : scanner) {
          note(result, marks);
        }
      }
      return marks;
    }

    private void note(Result result, Map<Bucket, byte[]> marks) {
      Keys.DataRow row = Keys.dataRowOf(result.getRow());
      for (Cell cell : result.rawCells()) {
        long start = resolution.start(row.base(), Column.of(cell).offset());
        if (range.contains(start)) {
          marks.put(new Bucket(row.series(), start), CellUtil.cloneValue(cell));
        }
      }
    }

    /** What the buckets add up to by what is finer. */
    private Map<Bucket, Summary> values(List<Series> read, TimeRange span) throws IOException {
      Query query =
          Query.of(metric, span.fromMillis(), span.toMillis()).groupBySeries().step(resolution);
      Map<Bucket, Summary> values = new HashMap<>();
      if (!read.isEmpty()) {
        Set<Group> beyond = new HashSet<>();
        new MetricsReader(table, query, beyond)
            .read(read, Resolution.values()[resolution.ordinal() - 1])
            .forEach((group, value) -> values.put(bucket(group), value));
        beyond.forEach(group -> tooLarge.add(bucket(group)));
      }
      return values;
    }

    private Bucket bucket(Group group) {
      return new Bucket(new Series(metric, group.tags()), group.startMillis());
    }

    /**
     * Writes what may be written.
     *
     * @param readMillis when marks and values began to be read, marks first
     */
    private Done write(Map<Bucket, Summary> values, Map<Bucket, byte[]> marks, long readMillis)
        throws IOException {
      // One that was announced and never came has a mark and no value.
      marks.forEach(
          (bucket, mark) -> {
            if (Marks.isOpen(mark) && !tooLarge.contains(bucket)) {
              values.computeIfAbsent(bucket, unknown -> new Summary());
            }
          });
      leaveOpen(marks);
      int leftOpen = tooLarge.size();
      List<CheckAndMutate> changes = new ArrayList<>();
      for (Map.Entry<Bucket, Summary> one : values.entrySet()) {
        byte[] mark = marks.get(one.getKey());
        if (mark != null
            && Marks.isOpen(mark)
            && readMillis - Marks.time(mark) < options.settleMillis()) {
          leftOpen++;
        } else {
          changes.add(change(one.getKey(), one.getValue(), mark));
        }
      }
      int written = 0;
      for (int i = 0; i < changes.size(); i += ROWS_IN_A_BATCH) {
        List<CheckAndMutate> batch =
            changes.subList(i, Math.min(i + ROWS_IN_A_BATCH, changes.size()));
        for (CheckAndMutateResult result : table.checkAndMutate(batch)) {
          if (result.isSuccess()) {
            written++;
          } else {
            leftOpen++;
          }
        }
      }
      return new Done(0, written, leftOpen);
    }

    private void leaveOpen(Map<Bucket, byte[]> marks) throws IOException {
      List<Put> puts = new ArrayList<>();
      for (Bucket bucket : tooLarge) {
        byte[] mark = marks.get(bucket);
        if (mark == null || !Marks.isOpen(mark)) {
          puts.add(
              Marks.open(bucket.series(), resolution, bucket.startMillis(), clock.getAsLong()));
        }
      }
      table.put(puts);
    }

    private CheckAndMutate change(Bucket bucket, Summary value, byte @Nullable [] mark) {
      int offset = resolution.offset(bucket.startMillis());
      byte[] row = Keys.data(bucket.series(), resolution, resolution.base(bucket.startMillis()), 0);
      byte[] marked = Column.mark(offset).qualifier();
      Put put = new Put(row);
      value
          .columns(offset)
          .forEach(
              (column, count) ->
                  put.addColumn(MetricsSchema.ROLLED_UP, column.qualifier(), Bytes.toBytes(count)));
      CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(row);
      if (mark == null) {
        return builder.ifNotExists(MetricsSchema.ROLLED_UP, marked).build(put);
      }
      put.addColumn(MetricsSchema.ROLLED_UP, marked, Marks.takenAway(mark));
      return builder.ifEquals(MetricsSchema.ROLLED_UP, marked, mark).build(put);
    }

    private void write(List<Long> missing) throws IOException {
      List<Put> puts = new ArrayList<>();
      missing.forEach(start -> puts.add(Coverage.done(metric, resolution, start)));
      table.put(puts);
    }
  }
}
