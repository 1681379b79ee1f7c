package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.cache.Fill;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan on their way into the segment cache: what the batches of one node scanner hold
 * that has all of the store's files. A row goes in when its last cell has come; a row with a gap,
 * or one that is too long, does not, and its cells are not kept. Used by the scan's thread.
 */
public final class ScanFill implements FillSink {
  private final StoreCache rows;
  private final RowCodec codec;
  private final Predicate<List<ExtendedCell>> isClean;
  private final Ticket ticket;
  private final @Nullable Stretch advised;

  /** The row that is coming; null before the first and between two. */
  private byte @Nullable [] row;

  private final List<ExtendedCell> cells = new ArrayList<>();
  private long rowBytes;

  /** The run that is being filled; null before the first batch. */
  private @Nullable Fill run;

  /** Where the next batch must begin to go on with the run; null: nowhere. */
  private @Nullable Position goesOnAt;

  /** Where the run begins. */
  private byte[] begun = {};

  /** Whether the row that is coming is not to be cached. */
  private boolean isUnfit;

  /** The row behind which the run begins, whose cells may still come; null: none. */
  private byte @Nullable [] startedRow;

  /**
   * @param isClean whether no compaction could drop a cell of a row
   * @param advised what the cache asked for; null if it is a client's scan
   */
  ScanFill(
      StoreCache rows,
      RowCodec codec,
      Predicate<List<ExtendedCell>> isClean,
      Ticket ticket,
      @Nullable Stretch advised) {
    this.rows = rows;
    this.codec = codec;
    this.isClean = isClean;
    this.ticket = ticket;
    this.advised = advised;
  }

  @Override
  public void received(NodeBatch batch, ReadRequest request, @Nullable Position from) {
    if (!rows.isGood(ticket)) {
      return;
    }
    RowRange range = request.getRange(0);
    checkWithin(batch, range);
    if (from == null) {
      begin(range.getStartRow().toByteArray(), range.getIncludeStart(), advised);
    } else if (!from.equals(goesOnAt)) {
      // The scan sought behind the last batch. Of the row in which this one begins the first cells
      // are not known.
      Cell key = Positions.seekKey(from);
      begin(CellUtil.cloneRow(key), isFirstOfRow(key), null);
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
    if (row == null || !CellUtil.matchingRows(next, row)) {
      endRow();
      if (isFirstOfRow(next)) {
        run().reachedBefore(CellUtil.cloneRow(next));
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
      run().reachedEnd();
    } else if (Bytes.compareTo(begun, stop) >= 0) {
      // The scan sought to its end, or beyond: there is nothing between.
      return;
    } else if (range.getIncludeStop()) {
      run().reachedThrough(stop);
    } else {
      run().reachedBefore(stop);
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
    if (stop.length > 0 && batch.count() > 0) {
      checkWithin(batch.cell(batch.count() - 1), stop, range.getIncludeStop());
    }
    if (stop.length > 0 && batch.next() != null) {
      checkWithin(Positions.seekKey(batch.next()), stop, range.getIncludeStop());
    }
  }

  private static void checkWithin(Cell cell, byte[] stop, boolean includeStop) {
    byte[] row = CellUtil.cloneRow(cell);
    if (Bytes.compareTo(row, stop) > (includeStop ? 0 : -1)) {
      throw new IllegalArgumentException(Bytes.toStringBinary(row) + " is beyond the range");
    }
  }

  private void begin(byte[] startRow, boolean inclusive, @Nullable Stretch stretch) {
    clear();
    begun = startRow;
    startedRow = inclusive ? null : startRow;
    run = stretch == null ? rows.fill(ticket, startRow, inclusive) : rows.fill(ticket, stretch);
  }

  private Fill run() {
    return requireNonNull(run, "a row before the first batch");
  }

  /** What it holds of the row that is coming. */
  long heldBytes() {
    return isUnfit ? 0 : rowBytes;
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
    isUnfit |= gap != Gap.NONE || rowBytes > rows.maxRowBytes();
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
      run().reachedBefore(row);
      begin(row, false, null);
      return;
    }
    byte[] payload = codec.encodeScanned(cells);
    run().row(row, payload, 0, payload.length, isClean.test(cells));
    clear();
  }
}
