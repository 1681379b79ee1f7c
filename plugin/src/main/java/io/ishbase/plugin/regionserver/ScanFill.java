package io.ishbase.plugin.regionserver;

import io.ishbase.core.cache.Fill;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of a scan on their way into the segment cache: what the batches of one node scanner hold
 * that has all of the store's files. A row goes in when its last cell has come; a row with a gap
 * does not. Used by the scan's thread.
 */
final class ScanFill implements CacheFill {
  private final CachedStore cache;
  private final Ticket ticket;
  private final Stretch advised;
  private final List<ExtendedCell> row = new ArrayList<>();

  /** The run that is being filled; null before the first batch. */
  private Fill run;

  /** Where the next batch must begin to go on with the run; null: nowhere. */
  private Position goesOnAt;

  /** Where the run begins. */
  private byte[] begun;

  private boolean rowHasGap;

  /** The row behind which the run begins, whose cells may still come; null: none. */
  private byte[] startedRow;

  /**
   * @param advised what the cache asked for; null if it is a client's scan
   */
  ScanFill(CachedStore cache, Ticket ticket, Stretch advised) {
    this.cache = cache;
    this.ticket = ticket;
    this.advised = advised;
  }

  @Override
  public void received(NodeBatch batch, ReadRequest request, Position from) {
    if (!cache.rows().isGood(ticket)) {
      return;
    }
    RowRange range = request.getRange(0);
    if (from == null) {
      begin(range.getStartRow().toByteArray(), range.getIncludeStart());
    } else if (!from.equals(goesOnAt)) {
      // The scan sought behind the last batch. Of the row in which this one begins the first cells
      // are not known.
      Cell key = Positions.seekKey(from);
      begin(CellUtil.cloneRow(key), isFirstOfRow(key));
    }
    for (int i = 0; i < batch.count(); i++) {
      add(batch.cell(i), batch.gap(i));
    }
    goesOnAt = batch.next();
    if (goesOnAt == null) {
      endRow();
      end(range);
      return;
    }
    Cell next = Positions.seekKey(goesOnAt);
    if (row.isEmpty() || !CellUtil.matchingRows(row.get(0), next)) {
      endRow();
      if (isFirstOfRow(next)) {
        run.reachedBefore(CellUtil.cloneRow(next));
      }
    }
  }

  @Override
  public boolean expect(int parts) {
    return parts == 1;
  }

  @Override
  public void receivedNothing() {}

  @Override
  public void abandon() {}

  private void end(RowRange range) {
    byte[] stop = range.getStopRow().toByteArray();
    if (stop.length == 0) {
      run.reachedEnd();
    } else if (Bytes.compareTo(begun, stop) >= 0) {
      // The scan sought to its end, or beyond: there is nothing between.
      return;
    } else if (range.getIncludeStop()) {
      run.reachedThrough(stop);
    } else {
      run.reachedBefore(stop);
    }
  }

  // The first key of a row, or a cell that nothing can sort before.
  private static boolean isFirstOfRow(Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(
            CellComparator.getInstance(), key, PrivateCellUtil.createFirstOnRow(key))
        <= 0;
  }

  private void begin(byte[] startRow, boolean inclusive) {
    row.clear();
    rowHasGap = false;
    begun = startRow;
    startedRow = inclusive ? null : startRow;
    run =
        advised == null
            ? cache.rows().fill(ticket, startRow, inclusive)
            : cache.rows().fill(ticket, advised);
  }

  private void add(ExtendedCell cell, Gap gap) {
    if (!row.isEmpty() && !CellUtil.matchingRows(row.get(0), cell)) {
      endRow();
    }
    if (startedRow != null && CellUtil.matchingRows(cell, startedRow)) {
      return;
    }
    row.add(cell);
    rowHasGap |= gap != Gap.NONE;
  }

  private void endRow() {
    if (row.isEmpty()) {
      return;
    }
    byte[] key = CellUtil.cloneRow(row.get(0));
    if (rowHasGap) {
      run.reachedBefore(key);
      begin(key, false);
      return;
    }
    byte[] payload = CachedRow.encode(row);
    run.row(key, payload, 0, payload.length, cache.isClean(row));
    row.clear();
  }
}
