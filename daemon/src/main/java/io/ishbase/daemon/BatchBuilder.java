package io.ishbase.daemon;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** The making of one answer from open files. For use by one thread, once. */
final class BatchBuilder {
  private static final CellComparator COMPARATOR = ReadService.COMPARATOR;

  /** Bytes of cells looked at after which the blocks behind them are given back. */
  private static final int SHIPPED_EVERY_BYTES = 1 << 20;

  /** Cells looked at between two looks at the clock. */
  private static final int LOOKS_PER_CLOCK = 256;

  private final ReadRequest request;
  private final List<HFileReaders.Lease> leases;
  private final long deadlineNanos;
  private final int maxBytes;
  private final int maxRows;
  private final SortedSet<byte[]> columns;
  private final CellBatch.Encoder cells = new CellBatch.Encoder(2048);
  private final CellSelector selector;
  private final Cell from;

  private int rows;
  private int cellsOfRows;
  private int looked;
  private int unshippedBytes;

  /**
   * @param filter the request's; null if it has none
   */
  BatchBuilder(
      ReadRequest request,
      List<HFileReaders.Lease> leases,
      Filter filter,
      int maxBytes,
      long deadlineNanos) {
    this.request = request;
    this.leases = leases;
    this.deadlineNanos = deadlineNanos;
    this.maxBytes = maxBytes;
    this.maxRows = request.hasMaxRows() ? Math.max(1, request.getMaxRows()) : Integer.MAX_VALUE;
    if (request.getColumnCount() == 0) {
      this.columns = null;
    } else {
      this.columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      request.getColumnList().forEach(column -> columns.add(column.toByteArray()));
    }
    this.selector =
        new CellSelector(
            request, columns == null ? null : columns.toArray(byte[][]::new), filter, cells);
    this.from = request.hasFrom() ? Positions.seekKey(request.getFrom()) : null;
  }

  ReadResponse.Builder build() throws IOException {
    ReadResponse.Builder response = ReadResponse.newBuilder().setCode(Code.OK);
    for (RowRange range : request.getRangeList()) {
      Position next = add(range);
      if (next != null) {
        response.setNext(next);
        break;
      }
    }
    return response
        .setCellCount(cells.count())
        .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()))
        .setCrc32C(CellBatch.crc32c(cells.array(), cells.size()));
  }

  /** Adds the cells of a range. If the budget ends first: where the rest begins; else null. */
  private Position add(RowRange range) throws IOException {
    byte[] startRow = range.getStartRow().toByteArray();
    byte[] stopRow = range.getStopRow().toByteArray();
    boolean bounded = range.hasStopRow() && stopRow.length > 0;
    boolean includeStop = range.getIncludeStop();
    Cell start =
        range.getIncludeStart()
            ? PrivateCellUtil.createFirstOnRow(startRow)
            : PrivateCellUtil.createLastOnRow(startRow);
    boolean goesOn = from != null && (startRow.length == 0 || isBehind(from, start));
    if (goesOn) {
      start = from;
      if (bounded && isPast(start, stopRow, includeStop)) {
        return null;
      }
    }
    Level1Heap heap = open(range, startRow, stopRow, start, goesOn);
    try {
      if (goesOn) {
        skipToFrom(heap);
      }
      Position next = add(heap, bounded ? stopRow : null, includeStop, goesOn);
      selector.finishRow();
      return next;
    } finally {
      heap.close();
    }
  }

  /** Whether {@code key} is where a scan that begins at {@code start} comes to later. */
  private boolean isBehind(Cell key, Cell start) {
    if (!request.getReversed()) {
      return COMPARATOR.compare(key, start) > 0;
    }
    int rowOrder = COMPARATOR.compareRows(key, start);
    return rowOrder < 0 || (rowOrder == 0 && COMPARATOR.compare(key, start) > 0);
  }

  private boolean isPast(Cell cell, byte[] stopRow, boolean includeStop) {
    int order = COMPARATOR.compareRows(cell, stopRow, 0, stopRow.length);
    if (request.getReversed()) {
      order = -order;
    }
    return includeStop ? order > 0 : order >= 0;
  }

  private Position add(Level1Heap heap, byte[] stopRow, boolean includeStop, boolean goesOn)
      throws IOException {
    boolean first = true;
    for (ExtendedCell cell = heap.peek(); cell != null; cell = heap.peek()) {
      CellSelector.Step step = CellSelector.Step.NEXT;
      boolean isNewRow = selector.isNewRow(cell);
      if (isNewRow) {
        if (selector.finishRow() && ++rows == maxRows) {
          cellsOfRows = cells.count();
        }
        if (stopRow != null && isPast(cell, stopRow, includeStop)) {
          return null;
        }
      }
      if (isFull()) {
        return Positions.atCell(cell, heap.currentFile());
      }
      if (isNewRow) {
        boolean rowGoesOn = first && goesOn && CellUtil.matchingRows(cell, from);
        step = selector.startRow(cell, !rowGoesOn || isBeforeRow(from));
        first = false;
      }
      if (step == CellSelector.Step.NEXT) {
        step = selector.add(cell, heap.currentFile());
      }
      if (step == CellSelector.Step.END) {
        return null;
      }
      advance(heap, cell, step);
    }
    return null;
  }

  private static boolean isBeforeRow(Cell key) {
    return COMPARATOR.compare(key, PrivateCellUtil.createFirstOnRow(key)) <= 0;
  }

  /** Whether the budget ends before the current cell. One cell is looked at in each answer. */
  private boolean isFull() {
    boolean timeIsOver = ++looked % LOOKS_PER_CLOCK == 0 && System.nanoTime() - deadlineNanos > 0;
    return selector.mayEnd()
        && (timeIsOver
            || cells.size() >= maxBytes
            // After the last row its reader looks for one more cell, to see that the row is over.
            || (rows >= maxRows && cells.count() > cellsOfRows));
  }

  private void advance(Level1Heap heap, ExtendedCell cell, CellSelector.Step step)
      throws IOException {
    unshippedBytes += cell.getSerializedSize();
    switch (step) {
      case NEXT_COLUMN -> heap.skipTo(PrivateCellUtil.createLastOnRowCol(cell));
      case NEXT_ROW -> heap.skipRow(cell);
      case SEEK -> heap.skipTo(selector.seekKey());
      default -> heap.next();
    }
    if (unshippedBytes >= SHIPPED_EVERY_BYTES) {
      unshippedBytes = 0;
      heap.shipped();
    }
  }

  private void skipToFrom(Level1Heap heap) throws IOException {
    ExtendedCell cell = heap.peek();
    while (cell != null
        && CellUtil.matchingRows(cell, from)
        && Positions.isBefore(COMPARATOR, cell, heap.currentFile(), from, request.getFrom())) {
      heap.next();
      cell = heap.peek();
    }
  }

  private Level1Heap open(
      RowRange range, byte[] startRow, byte[] stopRow, Cell start, boolean goesOn)
      throws IOException {
    Scan scan = asScan(range, startRow, stopRow);
    List<StoreFileScanner> scanners = new ArrayList<>(leases.size());
    boolean opened = false;
    try {
      for (int file = 0; file < leases.size(); file++) {
        StoreFileReader reader = leases.get(file).reader();
        if (!reader.passesKeyRangeFilter(scan)
            || !IssnStoreFileAccess.passesBloomFilter(reader, scan, columns)) {
          continue;
        }
        StoreFileScanner scanner =
            reader.getStoreFileScanner(
                request.getCacheBlocks(), true, false, request.getReadPoint(), file, false);
        scanners.add(scanner);
        if (!request.getReversed()) {
          scanner.seek(start);
        } else if (startRow.length == 0 && !goesOn) {
          scanner.seekToLastRow();
        } else {
          scanner.backwardSeek(start);
        }
      }
      Level1Heap heap =
          request.getReversed()
              ? new Level1Heap.Reversed(scanners, COMPARATOR)
              : new Level1Heap.Forward(scanners, COMPARATOR);
      opened = true;
      return heap;
    } finally {
      if (!opened) {
        scanners.forEach(StoreFileScanner::close);
      }
    }
  }

  // Key ranges and Bloom filters are asked as HBase's scanner would ask them.
  private Scan asScan(RowRange range, byte[] startRow, byte[] stopRow) {
    return new Scan()
        .setReversed(request.getReversed())
        .withStartRow(startRow, range.getIncludeStart())
        .withStopRow(stopRow, range.getIncludeStop());
  }
}
