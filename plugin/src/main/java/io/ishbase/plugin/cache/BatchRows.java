package io.ishbase.plugin.cache;

import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Whole rows out of the batches of one node scanner. A row goes on when its last cell has come; one
 * with a gap, or one that is too long, is unfit, and its cells are not kept. Used by one thread.
 */
final class BatchRows {
  private final RowSink sink;
  private final long maxRowBytes;

  /** The row that is coming; null before the first and between two. */
  private byte @Nullable [] row;

  private final List<ExtendedCell> cells = new ArrayList<>();
  private long rowBytes;

  /** Where the next batch must begin to go on with the rows; null: nowhere. */
  private @Nullable Position goesOnAt;

  /** Where what is known begins. */
  private byte[] begun = {};

  /** Whether the row that is coming is not to be cached. */
  private boolean isUnfit;

  /** The row behind which it begins, whose cells may still come; null: none. */
  private byte @Nullable [] startedRow;

  BatchRows(RowSink sink, long maxRowBytes) {
    this.sink = sink;
    this.maxRowBytes = maxRowBytes;
  }

  /**
   * An answer came.
   *
   * @param range that was asked for
   * @param from null: from the beginning of the range
   * @throws IllegalArgumentException if it has what nobody asked for
   */
  void received(NodeBatch batch, RowRange range, @Nullable Position from) {
    checkWithin(batch, range);
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
    if (row != null && CellUtil.matchingRows(next, row)) {
      sink.coming(row);
      return;
    }
    endRow();
    byte[] nextRow = CellUtil.cloneRow(next);
    if (isFirstOfRow(next)) {
      sink.reachedBefore(nextRow);
    }
  }

  /** What it holds of the row that is coming, in bytes. */
  long heldBytes() {
    return isUnfit ? 0 : rowBytes;
  }

  private void begin(byte[] startRow, boolean inclusive) {
    clear();
    startAt(startRow, inclusive);
    sink.begin(startRow, inclusive);
  }

  private void startAt(byte[] startRow, boolean inclusive) {
    begun = startRow;
    startedRow = inclusive ? null : startRow;
  }

  private void end(RowRange range) {
    byte[] stop = range.getStopRow().toByteArray();
    if (stop.length == 0) {
      sink.reachedEnd();
    } else if (Bytes.compareTo(begun, stop) >= 0) {
      // The scan sought to its end, or beyond: there is nothing between.
      return;
    } else if (range.getIncludeStop()) {
      sink.reachedThrough(stop);
    } else {
      sink.reachedBefore(stop);
    }
  }

  // The first key of a row, or a cell that nothing can sort before.
  private static boolean isFirstOfRow(Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(
            CellComparator.getInstance(), key, PrivateCellUtil.createFirstOnRow(key))
        <= 0;
  }

  /**
   * The daemon must not have sent what nobody asked for, nor have looked there. Cells are in order.
   */
  private static void checkWithin(NodeBatch batch, RowRange range) {
    byte[] stop = range.getStopRow().toByteArray();
    if (stop.length == 0) {
      return;
    }
    if (batch.count() > 0) {
      checkWithin(batch.cell(batch.count() - 1), stop, range.getIncludeStop());
    }
    if (batch.next() != null) {
      checkWithin(Positions.seekKey(batch.next()), stop, range.getIncludeStop());
    }
  }

  private static void checkWithin(Cell cell, byte[] stop, boolean includeStop) {
    byte[] row = CellUtil.cloneRow(cell);
    if (Bytes.compareTo(row, stop) > (includeStop ? 0 : -1)) {
      throw new IllegalArgumentException(Bytes.toStringBinary(row) + " is beyond the range");
    }
  }

  private void clear() {
    row = null;
    cells.clear();
    rowBytes = 0;
    isUnfit = false;
  }

  private void add(ExtendedCell cell, Gap gap) {
    if (row != null && !CellUtil.matchingRows(cell, row)) {
      endRow();
    }
    if (startedRow != null && CellUtil.matchingRows(cell, startedRow)) {
      return;
    }
    if (row == null) {
      row = CellUtil.cloneRow(cell);
    }
    rowBytes += CachedRow.encodedBytes(cell);
    isUnfit |= gap != Gap.NONE || rowBytes > maxRowBytes;
    if (isUnfit) {
      cells.clear();
    } else {
      cells.add(cell);
    }
  }

  private void endRow() {
    if (row == null) {
      return;
    }
    if (isUnfit) {
      sink.unfit(row);
      startAt(row, false);
    } else {
      sink.row(row, cells, rowBytes);
    }
    clear();
  }
}
