package io.ishbase.archetypes.metrics;

import io.ishbase.archetypes.metrics.IncrementBuffer.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Sends increments, one for each row, and says what became of each. First what must be in the table
 * before them: directory and marks; if that fails no increment is sent. The row with the most calls
 * goes alone, and is timed for the {@link ShardPolicy}; then all others together. Safe for several
 * threads.
 *
 * <p>HBase's client gives each increment a nonce and keeps it when it tries again, so a region
 * server that has applied the increment does not do so twice. It remembers nonces for {@code
 * hbase.server.hashNonce.gracePeriod}. A server that takes over a region learns them only from what
 * it replays of the log.
 */
final class IncrementSender {
  /** Beyond it a counter takes no more: increments of 2^53 at most leave it right for a while. */
  static final long NEARLY_FULL = 1L << 62;

  /**
   * What is added at once beyond it is looked at afterwards: less must come 2^31 times to matter.
   */
  private static final long LARGE = 1L << 31;

  private static final int KNOWN_SERIES = 100_000;

  /** One row to be sent. */
  private record Row(Slot slot, Waiting waiting, Increment increment) {
    void deltas(List<Delta> to) {
      waiting.amounts().forEach((column, amount) -> to.add(new Delta(slot, column, amount)));
    }
  }

  private final Connection connection;
  private final TableName name;
  private final MetricsOptions options;
  private final LongSupplier clock;
  private final LongSupplier nanoTime;
  private final ShardPolicy shards;
  private final Set<Series> known = ConcurrentHashMap.newKeySet();

  IncrementSender(
      Connection connection,
      TableName name,
      MetricsOptions options,
      LongSupplier clock,
      LongSupplier nanoTime,
      ShardPolicy shards) {
    this.connection = connection;
    this.name = name;
    this.options = options;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.shards = shards;
  }

  /** What became of what was sent. */
  static final class Outcome {
    final List<Delta> refused = new ArrayList<>();
    final List<Delta> unknown = new ArrayList<>();
    final List<Delta> nearlyFull = new ArrayList<>();
    @Nullable Throwable cause;

    /** The first cause is the one that is told. */
    void because(@Nullable Throwable thrown) {
      if (cause == null) {
        cause = thrown;
      }
    }

    boolean failed() {
      return !refused.isEmpty() || !unknown.isEmpty();
    }

    /** Throws if something is not known to have been applied, or a counter is nearly full. */
    void check() throws IncrementsException {
      if (failed() || !nearlyFull.isEmpty()) {
        throw new IncrementsException(refused, unknown, nearlyFull, cause);
      }
    }
  }

  /**
   * Sends all of {@code round}, unless something failed before. What has waited until its seconds
   * are no longer kept is refused: nothing could be rolled up with it any more.
   */
  void send(Map<Slot, Waiting> round, Outcome outcome) {
    long keptFrom =
        options.retentionMillis() == 0 ? 0 : clock.getAsLong() - options.retentionMillis();
    List<Delta> tooLate = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    round.forEach(
        (slot, waiting) -> {
          waiting.dropBefore(slot, keptFrom, tooLate);
          if (!waiting.amounts().isEmpty()) {
            rows.add(new Row(slot, waiting, increment(slot, waiting)));
          }
        });
    sendInParts(rows, outcome);
    if (!tooLate.isEmpty()) {
      outcome.refused.addAll(tooLate);
      outcome.because(
          new DoNotRetryIOException(
              "Too late to be counted: seconds are kept for %d ms"
                  .formatted(options.retentionMillis())));
    }
  }

  /** The busiest alone, then the others. */
  private void sendInParts(List<Row> rows, Outcome outcome) {
    rows.sort(Comparator.comparingInt((Row row) -> row.waiting().calls()).reversed());
    send(rows.subList(0, Math.min(1, rows.size())), outcome);
    send(rows.subList(Math.min(1, rows.size()), rows.size()), outcome);
  }

  private void send(List<Row> rows, Outcome outcome) {
    if (rows.isEmpty()) {
      return;
    }
    if (outcome.failed()) {
      refuse(rows, null, outcome);
      return;
    }
    Table table;
    try {
      table = connection.getTable(name);
    } catch (IOException | RuntimeException e) {
      refuse(rows, e, outcome);
      return;
    }
    try (table) {
      send(table, rows, outcome);
    } catch (IOException e) {
      // Of closing the table; nothing hangs on it.
      outcome.because(e);
    }
  }

  private void send(Table table, List<Row> rows, Outcome outcome) {
    try {
      prepare(table, rows);
    } catch (IOException | RuntimeException e) {
      refuse(rows, e, outcome);
      return;
    }
    List<Row> applied =
        rows.size() == 1 ? one(table, rows.get(0), outcome) : together(table, rows, outcome);
    noteNearlyFull(table, applied, outcome);
  }

  /** Nothing of {@code rows} has been sent. */
  private static void refuse(List<Row> rows, @Nullable Throwable cause, Outcome outcome) {
    outcome.because(cause);
    rows.forEach(row -> row.deltas(outcome.refused));
  }

  /** Puts what must be there before the increments are. */
  private void prepare(Table table, List<Row> rows) throws IOException {
    if (known.size() > KNOWN_SERIES) {
      known.clear();
    }
    long now = clock.getAsLong();
    List<Put> puts = new ArrayList<>();
    List<Series> entered = new ArrayList<>();
    for (Row row : rows) {
      Series series = row.slot().series();
      if (!known.contains(series)) {
        puts.add(SeriesDirectory.entry(series));
        entered.add(series);
      }
      row.waiting().amounts().keySet().stream()
          .map(column -> Resolution.SECOND.start(row.slot().base(), column.offset()))
          .map(Resolution.MINUTE::floor)
          .distinct()
          .forEach(minute -> puts.addAll(Marks.before(series, minute, now, options)));
    }
    if (!puts.isEmpty()) {
      table.put(puts);
      known.addAll(entered);
    }
  }

  /** Returns what was applied. */
  private List<Row> one(Table table, Row row, Outcome outcome) {
    long before = nanoTime.getAsLong();
    Object result;
    try {
      result = table.increment(row.increment());
    } catch (IOException | RuntimeException e) {
      result = e;
    }
    long after = nanoTime.getAsLong();
    shards.took(row.slot().series(), after - before, after);
    return isApplied(row, result, outcome) ? List.of(row) : List.of();
  }

  /** Returns those that were applied. */
  private static List<Row> together(Table table, List<Row> rows, Outcome outcome) {
    @Nullable Object[] results = new Object[rows.size()];
    Throwable thrown = null;
    try {
      table.batch(rows.stream().map(Row::increment).toList(), results);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      thrown = e;
    } catch (IOException | RuntimeException e) {
      thrown = e;
    }
    List<Row> applied = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      Object result = results[i];
      if (isApplied(rows.get(i), result == null ? thrown : result, outcome)) {
        applied.add(rows.get(i));
      }
    }
    return applied;
  }

  /**
   * Whether a row was applied; notes what became of it if it was not.
   *
   * @param result a Result, or why there is none
   */
  private static boolean isApplied(Row row, @Nullable Object result, Outcome outcome) {
    if (result instanceof Result) {
      return true;
    }
    Throwable cause = result instanceof Throwable thrown ? thrown : null;
    outcome.because(cause);
    row.deltas(isRefusal(cause) ? outcome.refused : outcome.unknown);
    return false;
  }

  private static boolean isRefusal(@Nullable Throwable thrown) {
    boolean saysNo = false;
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof OperationTimeoutExceededException) {
        // The client's own, after an answer that did not come.
        return false;
      }
      saysNo |= cause instanceof DoNotRetryIOException;
    }
    return saysNo;
  }

  /** Looks at the counters to which much was added. */
  private static void noteNearlyFull(Table table, List<Row> applied, Outcome outcome) {
    List<Row> large = new ArrayList<>();
    List<Get> gets = new ArrayList<>();
    for (Row row : applied) {
      Get get = new Get(row.increment().getRow());
      row.waiting()
          .amounts()
          .forEach(
              (column, amount) -> {
                if (Math.abs(amount) > LARGE) {
                  get.addColumn(
                      MetricsSchema.family(Resolution.SECOND, column), column.qualifier());
                }
              });
      if (get.hasFamilies()) {
        large.add(row);
        gets.add(get);
      }
    }
    if (gets.isEmpty()) {
      return;
    }
    Result[] values;
    try {
      values = table.get(gets);
    } catch (IOException | RuntimeException e) {
      // All is applied; whoever adds to them next looks again.
      if (e instanceof InterruptedIOException) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    for (int i = 0; i < values.length; i++) {
      noteNearlyFull(large.get(i), values[i], outcome);
    }
  }

  private static void noteNearlyFull(Row row, Result values, Outcome outcome) {
    if (values.isEmpty()) {
      return;
    }
    for (Cell cell : values.rawCells()) {
      long value = Bytes.toLong(cell.getValueArray(), cell.getValueOffset());
      if (value > NEARLY_FULL || value < -NEARLY_FULL) {
        Column column = Column.of(cell);
        long amount = row.waiting().amounts().getOrDefault(column, 0L);
        outcome.nearlyFull.add(new Delta(row.slot(), column, amount));
      }
    }
  }

  private Increment increment(Slot slot, Waiting waiting) {
    int shard = ThreadLocalRandom.current().nextInt(shards.shards(slot.series()));
    Increment increment =
        new Increment(Keys.data(slot.series(), Resolution.SECOND, slot.base(), shard));
    // HBase 2.6 answers the first increment of a column from memory that it has given back.
    increment.setReturnResults(false);
    waiting
        .amounts()
        .forEach(
            (column, amount) ->
                increment.addColumn(
                    MetricsSchema.family(Resolution.SECOND, column), column.qualifier(), amount));
    return increment;
  }
}
