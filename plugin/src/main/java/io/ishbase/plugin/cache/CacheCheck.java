package io.ishbase.plugin.cache;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Cursor.State;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Pin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Compares what is cached of a store with its files, cell for cell, over HBase's own read path, in
 * slices. The files do not change during a slice. A flush that is about to switch them has brought
 * its cells into the cache by then: a slice that finds a difference meanwhile is compared again.
 * Rows of which only some columns are cached are left out.
 */
final class CacheCheck {
  private static final long SLICE_NANOS = 100_000_000;
  private static final long PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_CHANGE_NANOS = 60_000_000_000L;

  private final HStore store;
  private final CachedRows cache;
  private final long oldestUnexpired;
  private final List<String> faults = new ArrayList<>();

  CacheCheck(HStore store, CachedRows cache, long nowMillis) {
    this.store = store;
    this.cache = cache;
    long ttl = store.getScanInfo().getTtl();
    this.oldestUnexpired = ttl == Long.MAX_VALUE ? Long.MIN_VALUE : nowMillis - ttl;
  }

  /**
   * What differs, a line each; empty if nothing does. Flushes and compactions wait for a slice at
   * most.
   */
  List<String> faults() throws IOException {
    byte[] from = store.getRegionInfo().getStartKey();
    while (from != null) {
      from = check(from);
    }
    return faults;
  }

  /** Checks rows from {@code from} on for a while; returns where to go on, null at the end. */
  private byte @Nullable [] check(byte[] from) throws IOException {
    long deadline = System.nanoTime() + LONGEST_CHANGE_NANOS;
    int before = faults.size();
    while (true) {
      Ticket ticket = cache.rows().ticket();
      boolean wasChanging = cache.rows().isChanging();
      byte[] next = checkSlice(from);
      boolean isCertain = !wasChanging && !cache.rows().isChanging() && cache.rows().isGood(ticket);
      if (faults.size() == before || isCertain) {
        return next;
      }
      faults.subList(before, faults.size()).clear();
      if (System.nanoTime() - deadline > 0) {
        faults.add(
            "not compared from row "
                + Bytes.toStringBinary(from)
                + " on, as the files kept changing: ask again");
        return null;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private byte @Nullable [] checkSlice(byte[] from) throws IOException {
    store.getStoreEngine().readLock();
    try {
      List<StoreFileScanner> files =
          StoreFileScanner.getScannersForStoreFiles(
              store.getStorefiles(), false, true, false, false, Long.MAX_VALUE);
      for (StoreFileScanner file : files) {
        file.seek(PrivateCellUtil.createFirstOnRow(from));
      }
      KeyValueHeap heap = new KeyValueHeap(files, store.getComparator());
      try (Pin pin = cache.rows().pin()) {
        return compare(heap, cache.rows().cursor(pin), from);
      } finally {
        heap.close();
      }
    } finally {
      store.getStoreEngine().readUnlock();
    }
  }

  private byte @Nullable [] compare(KeyValueHeap files, Cursor cursor, byte[] from)
      throws IOException {
    long start = System.nanoTime();
    byte[] end = store.getRegionInfo().getEndKey();
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
        next = after(cursor.row().copyRow());
        compareRow(files, cursor.row());
      }
      if (System.nanoTime() - start > SLICE_NANOS) {
        return next;
      }
      state = cursor.next();
    }
    expectNothing(files, end.length == 0 ? null : PrivateCellUtil.createFirstOnRow(end));
    return null;
  }

  private static byte[] after(byte[] row) {
    return Bytes.add(row, new byte[1]);
  }

  /** Goes to {@code key}; null: to the end. */
  private void expectNothing(KeyValueHeap files, @Nullable Cell key) throws IOException {
    Cell cell = files.peek();
    while (cell != null && (key == null || store.getComparator().compare(cell, key) < 0)) {
      if (cell.getTimestamp() >= oldestUnexpired) {
        faults.add("not cached, and taken for missing: " + cell);
      }
      files.next();
      cell = files.peek();
    }
  }

  private void compareRow(KeyValueHeap files, RowView row) throws IOException {
    byte[] key = row.copyRow();
    expectNothing(files, PrivateCellUtil.createFirstOnRow(key));
    List<ExtendedCell> cached = new ArrayList<>();
    CachedRow.Cells all = new CachedRow.Cells(row.copyPayload(), Long.MAX_VALUE);
    for (Cell cell = all.next(); cell != null; cell = all.next()) {
      addUnexpired(cached, cell);
    }
    List<ExtendedCell> stored = new ArrayList<>();
    for (Cell cell = files.peek();
        cell != null && CellUtil.matchingRows(cell, key);
        cell = files.peek()) {
      addUnexpired(stored, cell);
      files.next();
    }
    if (!areSame(shown(cached, row.isTrimmed()), shown(stored, row.isTrimmed()))) {
      faults.add(Bytes.toStringBinary(key) + ": cached " + cached + ", in the files " + stored);
    }
  }

  private List<ExtendedCell> shown(List<ExtendedCell> cells, boolean trimmed) {
    int maxVersions = store.getScanInfo().getMaxVersions();
    return trimmed ? CachedRow.withoutHidden(cells, maxVersions, Long.MAX_VALUE) : cells;
  }

  private static boolean areSame(List<ExtendedCell> cached, List<ExtendedCell> stored) {
    if (cached.size() != stored.size()) {
      return false;
    }
    for (int i = 0; i < cached.size(); i++) {
      ExtendedCell inFile = stored.get(i);
      // After some days a compaction takes sequence ids away.
      if (!PrivateCellUtil.equalsIgnoreMvccVersion(cached.get(i), inFile)
          || !CellUtil.matchingValue(cached.get(i), inFile)
          || inFile.getSequenceId() != 0
              && inFile.getSequenceId() != cached.get(i).getSequenceId()) {
        return false;
      }
    }
    return true;
  }

  private void addUnexpired(List<ExtendedCell> cells, Cell cell) {
    ExtendedCell last = cells.isEmpty() ? null : cells.get(cells.size() - 1);
    // Of cells of a file that are equal in all, an answer that ends between them has the first.
    boolean isRepeated = last != null && store.getComparator().compare(last, cell) == 0;
    if (!isRepeated
        && (cell.getTimestamp() >= oldestUnexpired || store.getScanInfo().getMinVersions() > 0)) {
      cells.add(KeyValueUtil.copyToNewKeyValue(cell));
    }
  }
}
