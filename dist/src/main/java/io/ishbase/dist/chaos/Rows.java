package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of a run: a few that all clients share, and those whose history has ended, of which it
 * is known for good what they hold. Thread safe.
 */
final class Rows {
  /** What must not be. */
  record Violation(String what, String details) {
    @Override
    public String toString() {
      return what + "\n" + details;
    }
  }

  private static final int MOST_VIOLATIONS = 20;
  private static final int SCANNED_AT_ONCE = 1000;

  private final AtomicReferenceArray<RowHistory> shared;
  private final AtomicInteger created = new AtomicInteger();

  /** What rows hold to which nothing is done any more, by their keys. */
  private final NavigableMap<String, RowState> ended = new ConcurrentSkipListMap<>();

  /** Rows of which a change may still come, or that could not be read when they ended. */
  private final Queue<RowHistory> open = new ConcurrentLinkedQueue<>();

  private final Queue<Violation> violations = new ConcurrentLinkedQueue<>();
  private final AtomicInteger checked = new AtomicInteger();

  Rows(int sharedRows) {
    shared = new AtomicReferenceArray<>(sharedRows);
    for (int i = 0; i < sharedRows; i++) {
      shared.set(i, next());
    }
  }

  private RowHistory next() {
    int number = created.incrementAndGet();
    // Over all regions: multiplied by a number that leaves no two alike.
    return new RowHistory(String.format("%08x", number * 0x9E3779B1));
  }

  int sharedCount() {
    return shared.length();
  }

  RowHistory shared(int slot) {
    return shared.get(slot);
  }

  /** Puts another row in the place of one that takes no more operations. */
  void replace(int slot, RowHistory row) {
    if (shared.get(slot) == row) {
      shared.compareAndSet(slot, row, next());
    }
  }

  /** Checks a row whose last operation has ended. */
  void finish(RowHistory row, HistoryClient reader) {
    Operation last = reader.read(row);
    if (last == null || !row.isKnown()) {
      open.add(row);
    } else {
      row.read(last);
      check(row);
      ended.put(row.key(), (RowState) last.result());
    }
  }

  private void check(RowHistory row) {
    checked.incrementAndGet();
    if (!row.isLinearizable()) {
      violated("No order explains the answers of a row", row.toString());
    }
  }

  void violated(String what, String details) {
    if (violations.size() < MOST_VIOLATIONS) {
      violations.add(new Violation(what, details));
    }
  }

  List<Violation> violations() {
    return List.copyOf(violations);
  }

  /** Rows whose history was checked. */
  int checked() {
    return checked.get();
  }

  int openCount() {
    return open.size();
  }

  /** Rows from {@code key} on that are known for good now, in order. */
  SortedMap<String, RowState> known(String key, int most) {
    SortedMap<String, RowState> known = new TreeMap<>();
    for (Map.Entry<String, RowState> row : ended.tailMap(key, true).entrySet()) {
      if (known.size() == most) {
        break;
      }
      known.put(row.getKey(), row.getValue());
    }
    return known;
  }

  /**
   * Compares what a scan gave with what is known.
   *
   * @param known before the scan began, all from its beginning on
   * @param found in the scan's order
   * @param isWhole whether the scan came to its end, or as far as {@code known}
   * @return rows that were compared
   */
  int compare(String scan, SortedMap<String, RowState> known, List<Result> found, boolean isWhole) {
    Map<String, RowState> rows = new TreeMap<>();
    String before = "";
    for (Result result : found) {
      String key = Bytes.toString(result.getRow());
      if (key.compareTo(before) <= 0) {
        violated(scan + ": out of order, or twice", before + ", then " + key);
      }
      before = key;
      try {
        rows.put(key, ChaosTable.state(result));
      } catch (ChaosTable.TornRowException e) {
        violated(scan + ": a torn row", e.getMessage());
      }
    }
    int compared = 0;
    for (Map.Entry<String, RowState> row : known.entrySet()) {
      if (!isWhole && row.getKey().compareTo(before) > 0) {
        break;
      }
      RowState now = rows.getOrDefault(row.getKey(), RowState.EMPTY);
      if (!now.equals(row.getValue())) {
        violated(
            scan + ": not what the row holds",
            row.getKey() + "\n  holds " + row.getValue() + "\n  read " + now);
      }
      compared++;
    }
    return compared;
  }

  /**
   * When nobody writes any more: reads every row again, and checks those that were still open.
   *
   * @param reader of the rows that are open
   * @param modes of the last scans, one after the other
   */
  void verifyAll(Table table, HistoryClient reader, List<Mode> modes) throws IOException {
    for (int slot = 0; slot < shared.length(); slot++) {
      RowHistory row = shared.get(slot);
      if (row.end() && row.size() > 0) {
        open.add(row);
      }
    }
    for (RowHistory row = open.poll(); row != null; row = open.poll()) {
      Operation last = reader.read(row);
      if (last == null) {
        throw new IOException("Cannot read row " + row.key());
      }
      row.read(last);
      check(row);
      ended.put(row.key(), (RowState) last.result());
    }
    for (Mode mode : modes) {
      verifyAll(table, mode, false);
      // That takes nothing from the segment cache, which may have all by now.
      verifyAll(table, mode, true);
    }
  }

  private void verifyAll(Table table, Mode mode, boolean isReversed) throws IOException {
    String name = "The last scan, " + mode + (isReversed ? ", reversed" : "");
    List<Result> found = new ArrayList<>();
    Scan scan = new Scan().setCaching(SCANNED_AT_ONCE).setReversed(isReversed);
    try (ResultScanner scanner = table.getScanner(mode.on(scan))) {
      scanner.forEach(found::add);
    }
    if (isReversed) {
      Collections.reverse(found);
    }
    compare(name, ended, found, true);
    for (Result result : found) {
      if (!ended.containsKey(Bytes.toString(result.getRow()))) {
        violated(name + ": a row that nobody wrote", result.toString());
      }
    }
  }
}
