package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.dist.chaos.Operation.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One client: operations of all kinds on rows that others use, too, and now and then a scan of rows
 * that nobody changes any more. It never sends an operation twice, so that each has one effect at
 * most.
 */
final class HistoryClient {
  private static final int SCAN_ROWS = 100;

  /** Of so many steps one is a scan. */
  private static final int SCAN_EVERY = 64;

  private static final long PAUSE_NANOS = 20_000_000;
  private static final long STEP_NANOS = 100_000;

  /** What clients did. */
  static final class Counts {
    final AtomicLong operations = new AtomicLong();
    final AtomicLong failures = new AtomicLong();
    final AtomicLong scans = new AtomicLong();
    final AtomicLong scannedRows = new AtomicLong();
  }

  private final int number;
  private final Rows rows;
  private final Table table;

  /** For scans: the other kind of client prints what it retries. */
  private final AsyncTable<?> scans;

  /** One is drawn for each read. */
  private final List<Mode> modes;

  private final Random random;
  private final Counts counts;
  private int written;

  /** Last seen, of any row; so a condition holds now and then. */
  private @Nullable String seen;

  HistoryClient(
      int number,
      Rows rows,
      Table table,
      AsyncTable<?> scans,
      List<Mode> modes,
      Counts counts,
      long seed) {
    this.number = number;
    this.rows = rows;
    this.table = table;
    this.scans = scans;
    this.modes = modes;
    this.counts = counts;
    this.random = new Random(seed);
  }

  /** Works until it is told to end. */
  void run(AtomicBoolean isOver) {
    while (!isOver.get()) {
      if (random.nextInt(SCAN_EVERY) == 0) {
        scan();
      } else {
        operate();
      }
    }
  }

  private void operate() {
    int slot = random.nextInt(rows.sharedCount());
    RowHistory row = rows.shared(slot);
    if (!row.begin()) {
      rows.replace(slot, row);
      return;
    }
    Kind kind = draw();
    Lock lock = kind == Kind.DELETE ? row.deletes().writeLock() : row.deletes().readLock();
    Operation operation = null;
    lock.lock();
    try {
      if (kind == Kind.DELETE) {
        awaitMillis(row.deletableMillis());
      }
      // A change that may still come might fall into the millisecond of a delete.
      operation = row.isKnown() ? carryOut(row, kind) : null;
    } finally {
      if (kind == Kind.INCREMENT || kind == Kind.APPEND) {
        row.added(System.currentTimeMillis());
      }
      lock.unlock();
      if (row.ended(operation)) {
        rows.finish(row, this);
      }
    }
  }

  private Kind draw() {
    int draw = random.nextInt(100);
    return draw < 40
        ? Kind.GET
        : draw < 60
            ? Kind.PUT
            : draw < 72
                ? Kind.CHECK_AND_PUT
                : draw < 84 ? Kind.INCREMENT : draw < 95 ? Kind.APPEND : Kind.DELETE;
  }

  /** Null if it changed nothing and there was no answer. */
  private @Nullable Operation carryOut(RowHistory row, Kind kind) {
    String key = row.key();
    String argument =
        switch (kind) {
          case PUT, CHECK_AND_PUT -> "c" + number + "." + written++;
          case APPEND -> Character.toString((char) ('a' + number)) + written++ % 10;
          default -> null;
        };
    String expected = kind == Kind.CHECK_AND_PUT && random.nextInt(4) > 0 ? seen : null;
    long begin = System.nanoTime();
    try {
      Object result = answer(key, kind, argument, expected);
      long end = System.nanoTime();
      counts.operations.incrementAndGet();
      return new Operation(number, kind, argument, expected, result, begin, end);
    } catch (ChaosTable.TornRowException e) {
      rows.violated("A torn row", e.getMessage());
      return null;
    } catch (IOException e) {
      counts.failures.incrementAndGet();
      LockSupport.parkNanos(PAUSE_NANOS);
      return kind == Kind.GET
          ? null
          : new Operation(number, kind, argument, expected, null, begin, Operation.NEVER);
    }
  }

  private @Nullable Object answer(
      String key, Kind kind, @Nullable String argument, @Nullable String expected)
      throws IOException {
    return switch (kind) {
      case GET -> {
        RowState state = ChaosTable.state(table.get(ChaosTable.get(key, mode())));
        seen = state.value();
        yield state;
      }
      case PUT -> {
        table.put(ChaosTable.put(key, argument));
        seen = argument;
        yield null;
      }
      case CHECK_AND_PUT ->
          table.checkAndMutate(ChaosTable.checkAndPut(key, expected, argument)).isSuccess();
      case INCREMENT -> ChaosTable.count(table.increment(ChaosTable.increment(key)));
      case APPEND -> ChaosTable.text(table.append(ChaosTable.append(key, argument)));
      case DELETE -> {
        table.delete(ChaosTable.delete(key));
        awaitMillis(System.currentTimeMillis() + 1);
        yield null;
      }
    };
  }

  private static void awaitMillis(long millis) {
    while (System.currentTimeMillis() < millis) {
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  /** Reads a row; null if it could not be read. */
  @Nullable Operation read(RowHistory row) {
    return carryOut(row, Kind.GET);
  }

  private Mode mode() {
    return modes.get(random.nextInt(modes.size()));
  }

  private void scan() {
    String start = String.format("%08x", random.nextInt());
    Mode mode = mode();
    SortedMap<String, RowState> known = rows.known(start, SCAN_ROWS);
    List<Result> found;
    Scan scan = mode.on(new Scan().withStartRow(Bytes.toBytes(start)).setLimit(SCAN_ROWS));
    try {
      found = scans.scanAll(scan).join();
    } catch (CompletionException e) {
      counts.failures.incrementAndGet();
      LockSupport.parkNanos(PAUSE_NANOS);
      return;
    }
    counts.scans.incrementAndGet();
    counts.scannedRows.addAndGet(
        rows.compare("A scan from " + start + ", " + mode, known, found, found.size() < SCAN_ROWS));
  }
}
