package io.ishbase.plugin.cache;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Cursor.State;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.file.FiledRow;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Pin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Compares what is cached of a store with its files, cell for cell, over HBase's own read path, in
 * slices: first the rows that are cached whole and what is known to lie between them, then the rows
 * of which some columns are cached, then the rows that lie in the file behind the memory. The files
 * do not change during a slice. A flush that is about to switch them has brought its cells into the
 * cache by then: a slice that finds a difference meanwhile is compared again.
 */
final class CacheCheck {
  private static final long SLICE_NANOS = 100_000_000;
  private static final long PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_CHANGE_NANOS = 60_000_000_000L;

  private final HStore store;
  private final CachedRows cache;
  private final long oldestUnexpired;
  private final LongSupplier nanos;
  private final List<String> faults = new ArrayList<>();

  /** Compares from a row on for a while; gives where to go on, null at the end. */
  private interface Comparison {
    byte @Nullable [] slice(KeyValueHeap files, Pin pin, byte[] from) throws IOException;
  }

  /**
   * @param nowMillis the time at which cells are expired or not
   * @param nanos a clock for the length of slices
   */
  CacheCheck(HStore store, CachedRows cache, long nowMillis, LongSupplier nanos) {
    this.store = store;
    this.cache = cache;
    this.nanos = nanos;
    ScanInfo family = store.getScanInfo();
    // What has expired may be kept all the same, and is then seen.
    this.oldestUnexpired =
        family.getTtl() == Long.MAX_VALUE || family.getMinVersions() > 0
            ? Long.MIN_VALUE
            : nowMillis - family.getTtl();
  }

  /**
   * What differs, a line each; empty if nothing does. Flushes and compactions wait for a slice at
   * most.
   */
  List<String> faults() throws IOException {
    check(this::compareRows);
    check(this::compareColumns);
    check(this::compareFiled);
    return faults;
  }

  private void check(Comparison comparison) throws IOException {
    byte @Nullable [] from = store.getRegionInfo().getStartKey();
    while (from != null) {
      from = check(comparison, from);
    }
  }

  /** Checks rows from {@code from} on for a while; returns where to go on, null at the end. */
  private byte @Nullable [] check(Comparison comparison, byte[] from) throws IOException {
    long start = nanos.getAsLong();
    int before = faults.size();
    while (true) {
      Ticket ticket = cache.rows().ticket();
      boolean wasChanging = cache.rows().isChanging();
      byte[] next = checkSlice(comparison, from);
      boolean isCertain = !wasChanging && !cache.rows().isChanging() && cache.rows().isGood(ticket);
      if (faults.size() == before || isCertain) {
        return next;
      }
      faults.subList(before, faults.size()).clear();
      if (nanos.getAsLong() - start > LONGEST_CHANGE_NANOS) {
        faults.add(
            "not compared from row "
                + Bytes.toStringBinary(from)
                + " on, as the files kept changing: ask again");
        return null;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private byte @Nullable [] checkSlice(Comparison comparison, byte[] from) throws IOException {
    store.getStoreEngine().readLock();
    try {
      List<StoreFileScanner> files =
          StoreFileScanner.getScannersForStoreFiles(
              store.getStorefiles(), false, true, false, false, Long.MAX_VALUE);
      try {
        for (StoreFileScanner file : files) {
          file.seek(PrivateCellUtil.createFirstOnRow(from));
        }
        KeyValueHeap heap = new KeyValueHeap(files, store.getComparator());
        try (Pin pin = cache.rows().pin()) {
          return comparison.slice(heap, pin, from);
        }
      } finally {
        // One that stays open would keep its file from being archived.
        files.forEach(StoreFileScanner::close);
      }
    } finally {
      store.getStoreEngine().readUnlock();
    }
  }

  private byte @Nullable [] compareRows(KeyValueHeap files, Pin pin, byte[] from)
      throws IOException {
    long start = nanos.getAsLong();
    byte[] end = store.getRegionInfo().getEndKey();
    Cursor cursor = cache.rows().cursor(pin).quietly();
    State state = cursor.seek(from, true, end.length == 0 ? null : end, false);
    while (state != State.END) {
      byte[] next;
      if (state == State.GAP) {
        expectNothing(
            files,
            cursor.gapStartInclusive()
                ? PrivateCellUtil.createFirstOnRow(cursor.gapStart())
                : PrivateCellUtil.createLastOnRow(cursor.gapStart()));
        if (cursor.gapEnd() == null) {
          return null;
        }
        next = cursor.gapEndInclusive() ? after(cursor.gapEnd()) : cursor.gapEnd();
        files.reseek(PrivateCellUtil.createFirstOnRow(next));
      } else {
        byte[] row = cursor.row().copyRow();
        expectNothing(files, PrivateCellUtil.createFirstOnRow(row));
        compare(files, cursor.row());
        next = after(row);
      }
      if (nanos.getAsLong() - start > SLICE_NANOS) {
        return next;
      }
      state = cursor.next();
    }
    expectNothing(files, end.length == 0 ? null : PrivateCellUtil.createFirstOnRow(end));
    return null;
  }

  private byte @Nullable [] compareColumns(KeyValueHeap files, Pin pin, byte[] from)
      throws IOException {
    long start = nanos.getAsLong();
    RowView row = new RowView();
    byte[] next = from;
    while (cache.rows().findColumns(pin, next, row)) {
      byte[] key = row.copyRow();
      files.reseek(PrivateCellUtil.createFirstOnRow(key));
      compare(files, row);
      next = after(key);
      if (nanos.getAsLong() - start > SLICE_NANOS) {
        return next;
      }
    }
    return null;
  }

  private byte @Nullable [] compareFiled(KeyValueHeap files, Pin pin, byte[] from)
      throws IOException {
    long start = nanos.getAsLong();
    StoreCache rows = cache.rows();
    byte[] end = store.getRegionInfo().getEndKey();
    for (Cell cell = rows.hasFiledRows() ? files.peek() : null;
        cell != null && (end.length == 0 || !isBehind(cell, end));
        cell = files.peek()) {
      byte[] key = CellUtil.cloneRow(cell);
      FiledRow filed = rows.peekFiled(key);
      if (filed != null) {
        compare(files, key, filed);
      }
      files.reseek(PrivateCellUtil.createLastOnRow(key));
      if (nanos.getAsLong() - start > SLICE_NANOS) {
        return after(key);
      }
    }
    return null;
  }

  private void compare(KeyValueHeap files, byte[] key, FiledRow filed) throws IOException {
    Merge.Merged row;
    try {
      row =
          cache
              .codec()
              .joined(key, filed.payloads(), store.getScanInfo(), cache.rows().maxRowBytes());
    } catch (RuntimeException e) {
      faults.add(Bytes.toStringBinary(key) + ": what lies in the file cannot be read: " + e);
      return;
    }
    if (row != null) {
      compare(files, key, null, row.payload(), row.trimmed() || filed.trimmed());
    }
  }

  private boolean isBehind(Cell cell, byte[] row) {
    return store.getComparator().compareRows(cell, row, 0, row.length) >= 0;
  }

  private static byte[] after(byte[] row) {
    return Bytes.add(row, new byte[1]);
  }

  /** Goes to {@code key}; null: to the end. */
  private void expectNothing(KeyValueHeap files, @Nullable Cell key) throws IOException {
    Cell cell = files.peek();
    while (cell != null && (key == null || store.getComparator().compare(cell, key) < 0)) {
      if (isUnexpired(cell)) {
        faults.add("not cached, and taken for missing: " + cell);
      }
      files.next();
      cell = files.peek();
    }
  }

  /** Compares what is cached of a row with the files, which stand at it or behind it. */
  private void compare(KeyValueHeap files, RowView row) throws IOException {
    compare(files, row.copyRow(), row.copyColumns(), row.copyPayload(), row.isTrimmed());
  }

  private void compare(
      KeyValueHeap files, byte[] key, @Nullable Columns columns, byte[] payload, boolean isTrimmed)
      throws IOException {
    List<ExtendedCell> cached = new ArrayList<>();
    String unreadable = null;
    try {
      CachedRow.Cells all = cache.codec().cells(key, payload, Long.MAX_VALUE);
      for (Cell cell = all.next(); cell != null; cell = all.next()) {
        add(cached, cell, columns);
      }
    } catch (RuntimeException e) {
      unreadable = e.toString();
    }
    List<ExtendedCell> stored = new ArrayList<>();
    for (Cell cell = files.peek();
        cell != null && CellUtil.matchingRows(cell, key);
        cell = files.peek()) {
      add(stored, cell, columns);
      files.next();
    }
    if (unreadable != null) {
      faults.add(Bytes.toStringBinary(key) + ": what is cached cannot be read: " + unreadable);
    } else if (!areSame(seen(cached, isTrimmed), seen(stored, isTrimmed))) {
      faults.add(Bytes.toStringBinary(key) + ": cached " + cached + ", in the files " + stored);
    }
  }

  private List<ExtendedCell> seen(List<ExtendedCell> cells, boolean isTrimmed) {
    return isTrimmed
        ? CachedRow.withoutHidden(cells, store.getScanInfo().getMaxVersions(), Long.MAX_VALUE)
        : cells;
  }

  private static boolean areSame(List<ExtendedCell> cached, List<ExtendedCell> stored) {
    boolean same = cached.size() == stored.size();
    for (int i = 0; same && i < cached.size(); i++) {
      ExtendedCell cell = cached.get(i);
      ExtendedCell other = stored.get(i);
      // A compaction of old files takes away what says when all readers see a cell.
      same =
          CellUtil.equals(cell, other)
              && CellUtil.matchingValue(cell, other)
              && Bytes.equals(PrivateCellUtil.cloneTags(cell), PrivateCellUtil.cloneTags(other))
              && (cell.getSequenceId() == other.getSequenceId() || other.getSequenceId() == 0);
    }
    return same;
  }

  private void add(List<ExtendedCell> cells, Cell cell, @Nullable Columns columns) {
    ExtendedCell last = cells.isEmpty() ? null : cells.get(cells.size() - 1);
    // Of cells of a file that are equal in all, an answer that ends between them has the first.
    boolean isRepeated = last != null && store.getComparator().compare(last, cell) == 0;
    if (!isRepeated && isUnexpired(cell) && (columns == null || CachedRow.isOf(cell, columns))) {
      cells.add(KeyValueUtil.copyToNewKeyValue(cell));
    }
  }

  private boolean isUnexpired(Cell cell) {
    return cell.getTimestamp() >= oldestUnexpired;
  }
}
