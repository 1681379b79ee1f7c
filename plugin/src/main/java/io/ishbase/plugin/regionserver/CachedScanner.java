package io.ishbase.plugin.regionserver;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Cursor.State;
import io.ishbase.core.cache.Pin;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * All that a store's HFiles hold of the rows of a forward scan: runs of rows from the segment
 * cache, and from a storage node what lies between them.
 *
 * <p>A run that is short ends a request only where a scan begins: a round trip costs more than the
 * rows that it would save.
 *
 * <p>Where rows of the cache are newer than the files, the memstore scanners of the same read have
 * what is new as well, or it is beyond the read point.
 */
final class CachedScanner extends NonReversedNonLazyKeyValueScanner {
  /** Rows of a run that are worth to end a request before them. */
  private static final int MIN_ROWS = 16;

  /** Runs that are looked at for one. */
  private static final int MAX_RUNS = 64;

  private final StoreCache rows;
  private final Ticket ticket;
  private final NodeScanner node;
  private final CellComparator comparator;
  private final boolean trimmedToo;
  private final long readPoint;
  private final byte[] stopRow;
  private final boolean includeStop;

  /** Null, as is the cursor, while nothing of the cache is in use. */
  private Pin pin;

  private Cursor cursor;

  /** Where the node is to be read from. */
  private byte[] gapStart;

  private boolean gapStartInclusive;

  /** The rest of the cached row; null while the node is read. */
  private CachedRow.Reader reader;

  /** Where cached rows begin again; null: not before the end of the scan. */
  private byte[] gapEnd;

  private boolean gapEndInclusive;
  private boolean requested;
  private Cell current;

  /** Takes over {@code node}, which has all of the store's files. */
  CachedScanner(CachedStore cache, NodeScanner node, NodeRead read, HStore store) {
    this.rows = cache.rows();
    this.ticket = rows.ticket();
    this.node = node;
    this.comparator = store.getComparator();
    this.trimmedToo = cache.canUseTrimmed(read.scan(), read.family());
    this.readPoint = read.readPoint();
    RowRange range = read.range();
    this.stopRow = range.getStopRow().isEmpty() ? null : range.getStopRow().toByteArray();
    this.includeStop = range.getIncludeStop();
  }

  /** Sends the first request if the scan begins in a gap. */
  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    if (!node.needs(scan, store, oldestUnexpiredTs)) {
      return false;
    }
    if (seek(scan.getStartRow(), scan.includeStartRow()) == State.GAP) {
      requestGap();
    }
    return true;
  }

  private State seek(byte[] row, boolean inclusive) {
    if (pin == null) {
      pin = rows.pin();
      cursor = rows.cursor(pin, trimmedToo);
    }
    return checked(cursor.seek(row, inclusive, stopRow, includeStop), row, inclusive);
  }

  /** To the row behind the current one. */
  private State next(byte[] row) {
    return cursor == null ? seek(row, false) : checked(cursor.next(), row, false);
  }

  /**
   * What the cursor found, or a gap to the end of the scan if a compaction may have dropped cells
   * of it: a delete marker that is gone there, but not from this scan's files, may hide a cell that
   * its memstore scanners show.
   */
  private State checked(State found, byte[] row, boolean inclusive) {
    gapEnd = null;
    gapEndInclusive = false;
    if (rows.isCompactedSince(ticket)) {
      gapStart = row;
      gapStartInclusive = inclusive;
      return stopRow != null && Bytes.compareTo(row, stopRow) > (includeStop && inclusive ? 0 : -1)
          ? State.END
          : State.GAP;
    }
    if (found == State.GAP) {
      gapStart = cursor.gapStart();
      gapStartInclusive = cursor.gapStartInclusive();
      findGapEnd();
    }
    return found;
  }

  private void requestGap() {
    RowRange.Builder range =
        RowRange.newBuilder()
            .setStartRow(UnsafeByteOperations.unsafeWrap(gapStart))
            .setIncludeStart(gapStartInclusive);
    if (gapEnd != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(gapEnd)).setIncludeStop(gapEndInclusive);
    } else if (stopRow != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(stopRow)).setIncludeStop(includeStop);
    }
    node.request(range.build());
    requested = true;
  }

  private void findGapEnd() {
    Cursor ahead = rows.cursor(pin, trimmedToo);
    State state = ahead.seek(gapStart, gapStartInclusive, stopRow, includeStop);
    for (int run = 0; run < MAX_RUNS && state == State.GAP; run++) {
      gapEnd = ahead.gapEnd();
      gapEndInclusive = ahead.gapEndInclusive();
      if (gapEnd == null) {
        return;
      }
      int count = 0;
      state = ahead.next();
      while (state == State.ROW && ++count < MIN_ROWS) {
        state = ahead.next();
      }
    }
    if (state == State.END) {
      // Only some rows are left: not worth to stop before them.
      gapEnd = null;
    }
  }

  /** Makes the first cell from where the cursor stands the current one. */
  private void enter(State entered) throws IOException {
    State state = entered;
    while (state != State.END) {
      if (state == State.ROW) {
        RowView view = cursor.row();
        reader = new CachedRow.Reader(view.buffer(), view.offset(), view.length(), readPoint);
        current = reader.next();
        if (current != null) {
          return;
        }
        state = next(view.copyRow());
      } else {
        if (!requested) {
          requestGap();
        }
        requested = false;
        reader = null;
        node.begin();
        if (takeFromNode()) {
          return;
        }
        state = gapEnd == null ? State.END : seek(gapEnd, !gapEndInclusive);
      }
    }
    current = null;
  }

  /** False if the node has no more cells of the gap. */
  private boolean takeFromNode() {
    current = node.peek();
    if (current == null) {
      return false;
    }
    if (gapEnd == null) {
      return true;
    }
    // On HBase's own path the node does not end with the gap.
    int order = comparator.compareRows(current, gapEnd, 0, gapEnd.length);
    return order < 0 || order == 0 && gapEndInclusive;
  }

  private void afterNode() throws IOException {
    if (!takeFromNode()) {
      enter(gapEnd == null ? State.END : seek(gapEnd, !gapEndInclusive));
    }
  }

  @Override
  public Cell peek() {
    return current;
  }

  @Override
  public Cell next() throws IOException {
    Cell result = current;
    if (result == null) {
      return null;
    }
    if (reader == null) {
      node.next();
      afterNode();
    } else {
      current = reader.next();
      if (current == null) {
        enter(next(CellUtil.cloneRow(result)));
      }
    }
    return result;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    if (requested) {
      enter(State.GAP);
      return reseek(key);
    }
    byte[] row = CellUtil.cloneRow(key);
    enter(seek(row, true));
    return reseek(key);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    while (current != null && isBefore(current, key)) {
      if (reader != null && CellUtil.matchingRows(current, key)) {
        ExtendedCell cell = reader.next();
        while (cell != null && isBefore(cell, key)) {
          cell = reader.next();
        }
        current = cell;
        if (cell == null) {
          enter(next(CellUtil.cloneRow(key)));
        }
      } else if (reader == null && isInGap(key)) {
        node.reseek(key);
        afterNode();
      } else {
        enter(seek(CellUtil.cloneRow(key), true));
      }
    }
    return current != null;
  }

  private boolean isBefore(Cell cell, Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, key) < 0;
  }

  private boolean isInGap(Cell key) {
    return gapEnd == null
        || comparator.compareRows(key, gapEnd, 0, gapEnd.length) < (gapEndInclusive ? 1 : 0);
  }

  @Override
  public void shipped() throws IOException {
    if (reader != null && current != null) {
      current = KeyValueUtil.copyToNewKeyValue(current);
      reader = reader.copy();
    }
    node.shipped();
    unpin();
  }

  // Nothing here points into the cache then, and the client may take its time.
  private void unpin() {
    if (pin != null) {
      pin.close();
      pin = null;
      cursor = null;
    }
  }

  @Override
  public void close() {
    current = null;
    unpin();
    node.close();
  }

  @Override
  public long getScannerOrder() {
    return reader == null && current != null ? node.getScannerOrder() : 0;
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    node.recordBlockSize(blockSizeConsumer);
  }
}
