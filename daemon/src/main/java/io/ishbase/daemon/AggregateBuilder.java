package io.ishbase.daemon;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Tally;
import io.ishbase.protocol.Values;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher.MatchCode;
import org.apache.hadoop.hbase.regionserver.querymatcher.UserScanQueryMatcher;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * The making of one answer to an aggregate from open files, which hold all cells of the rows that
 * are looked at. Which of them a scan would return says HBase's own matcher, with the rules and the
 * clock of the request. An answer is about whole rows. For use by one thread, once.
 *
 * <p>Relies on HBase 2.6: {@code UserScanQueryMatcher} judges the cells of a row in the order of
 * the merge, and asks for nothing of a store or region; what its codes mean says {@code
 * StoreScanner.next}.
 */
final class AggregateBuilder {
  private static final CellComparator COMPARATOR = ReadService.COMPARATOR;

  /** Bytes of blocks come to after which those that are behind are given back. */
  private static final int SHIPPED_EVERY_BYTES = 1 << 20;

  /** Cells looked at between two looks at the clock, and for reads to give way to. */
  private static final int LOOKS_PER_CLOCK = 16;

  /** Those of a store's scanner have nothing to do with which cells it returns. */
  private static final Configuration NO_SETTINGS = new Configuration(false);

  private final AggregateRequest request;
  private final ReadRequest read;
  private final RowRange range;
  private final byte[] stopRow;
  private final List<HFileReaders.Lease> leases;
  private final long deadlineNanos;
  private final long rowDeadlineNanos;
  private final AggregatePace.Turn turn;
  private final UserScanQueryMatcher matcher;
  private final @Nullable Values<?> values;
  private final @Nullable Tally<?, ?> tally;

  private final IntConsumer blockSizes = size -> this.blockBytes += size;
  private int excepted;
  private long rows;
  private long blockBytes;
  private int looked;
  private long shippedBlockBytes;
  private boolean timeIsOver;

  /**
   * @param request checked
   * @param deadlineNanos when the answer is to end, behind one row at least
   * @param rowDeadlineNanos when it is given up, if that row has not ended
   * @param turn whose clock both are of
   */
  AggregateBuilder(
      AggregateRequest request,
      List<HFileReaders.Lease> leases,
      long deadlineNanos,
      long rowDeadlineNanos,
      AggregatePace.Turn turn)
      throws IOException {
    this.request = request;
    this.read = request.getRead();
    this.range = read.getRange(0);
    this.stopRow = range.getStopRow().toByteArray();
    this.leases = leases;
    this.deadlineNanos = deadlineNanos;
    this.rowDeadlineNanos = rowDeadlineNanos;
    this.turn = turn;
    NavigableSet<byte[]> columns = columns(read);
    this.matcher =
        UserScanQueryMatcher.create(
            scan(),
            rules(request),
            columns,
            request.getNow() - request.getTtl(),
            request.getNow(),
            null);
    this.values =
        request.getFunction() == AggregateFunction.ROWS ? null : Values.of(request.getValueType());
    this.tally =
        values == null
            ? null
            : values.tally(
                request.getFunction(),
                request.getFamily().toByteArray(),
                columns == null ? null : columns.first());
  }

  private static @Nullable NavigableSet<byte[]> columns(ReadRequest read) {
    if (read.getColumnCount() == 0) {
      return null;
    }
    NavigableSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    read.getColumnList().forEach(column -> columns.add(column.toByteArray()));
    return columns;
  }

  private Scan scan() throws IOException {
    return new Scan()
        .withStartRow(range.getStartRow().toByteArray(), range.getIncludeStart())
        .withStopRow(stopRow, range.getIncludeStop())
        .readVersions(read.getMaxVersions())
        .setTimeRange(
            read.getMinTimestamp(),
            read.hasMaxTimestamp() ? read.getMaxTimestamp() : Long.MAX_VALUE);
  }

  private static ScanInfo rules(AggregateRequest request) {
    return new ScanInfo(
        NO_SETTINGS,
        request.getFamily().toByteArray(),
        request.getMinVersions(),
        request.getRead().getFamilyVersions(),
        request.getTtl(),
        switch (request.getKeepDeleted()) {
          case KEEP_NONE -> KeepDeletedCells.FALSE;
          case KEEP_ALL -> KeepDeletedCells.TRUE;
          case KEEP_UNTIL_TTL -> KeepDeletedCells.TTL;
        },
        HConstants.DEFAULT_BLOCKSIZE,
        0,
        COMPARATOR,
        false);
  }

  AggregateResponse.Builder build() throws IOException {
    byte[] next;
    try (FileScanners scanners = new FileScanners(read, leases, null)) {
      next = addRows(scanners.heap(range));
    }
    AggregateResponse.Builder response =
        AggregateResponse.newBuilder().setCode(Code.OK).setRows(rows).setBlockBytes(blockBytes);
    com.google.protobuf.Message result = tally == null ? null : tally.result();
    if (result != null) {
      response.setValue(UnsafeByteOperations.unsafeWrap(result.toByteArray()));
    }
    if (next != null) {
      response.setNextRow(UnsafeByteOperations.unsafeWrap(next));
    }
    return response;
  }

  /** Counts in row after row. If the time ends first: the row where the rest begins; else null. */
  private byte @Nullable [] addRows(Level1Heap heap) throws IOException {
    boolean isFirst = true;
    for (ExtendedCell cell = heap.peek(); cell != null; cell = heap.peek()) {
      if (isPast(cell)) {
        return null;
      }
      if (!isFirst && isTimeOver()) {
        return CellUtil.cloneRow(cell);
      }
      if (isExcepted(cell)) {
        heap.recordBlock(blockSizes);
        heap.skipRow(cell);
        ship(heap);
      } else if (!addRow(heap, cell, isFirst)) {
        return CellUtil.cloneRow(matcher.currentRow());
      }
      isFirst = false;
    }
    return null;
  }

  private boolean isPast(Cell cell) {
    if (stopRow.length == 0) {
      return false;
    }
    int order = COMPARATOR.compareRows(cell, stopRow, 0, stopRow.length);
    return range.getIncludeStop() ? order > 0 : order >= 0;
  }

  private boolean isTimeOver() {
    if (++looked % LOOKS_PER_CLOCK == 0) {
      timeIsOver = timeIsOver || turn.giveWay(deadlineNanos) - deadlineNanos > 0;
    }
    return timeIsOver;
  }

  private boolean isExcepted(Cell cell) {
    while (excepted < request.getExceptRowCount()) {
      ByteString row = request.getExceptRow(excepted);
      int order = COMPARATOR.compareRows(cell, row.toByteArray(), 0, row.size());
      if (order <= 0) {
        return order == 0;
      }
      excepted++;
    }
    return false;
  }

  /**
   * Counts in the row of {@code first}, the heap's current cell.
   *
   * @param isAlone whether the row has all the time there is
   * @return false if the time ended within it: then nothing of it is counted in
   */
  private boolean addRow(Level1Heap heap, Cell first, boolean isAlone) throws IOException {
    matcher.setToNewRow(first);
    if (tally != null) {
      tally.mark();
    }
    boolean hasCell = false;
    for (ExtendedCell cell = heap.peek(); cell != null; cell = heap.peek()) {
      heap.recordBlock(blockSizes);
      MatchCode code = matcher.match(cell);
      if (code == MatchCode.DONE) {
        break;
      }
      if (isTimeOver()) {
        if (!isAlone) {
          if (tally != null) {
            tally.toMark();
          }
          return false;
        }
        checkRowTime(cell);
      }
      if (isIncluded(code)) {
        hasCell = true;
        count(cell);
      }
      advance(heap, cell, tally == null && hasCell ? MatchCode.SEEK_NEXT_ROW : code);
      ship(heap);
    }
    if (hasCell) {
      rows++;
    }
    return true;
  }

  private void checkRowTime(Cell cell) throws RequestException {
    if (System.nanoTime() - rowDeadlineNanos > 0) {
      throw new RequestException(
          Code.BAD_REQUEST, "Row " + CellUtil.getCellKeyAsString(cell) + "... is too large");
    }
  }

  private static boolean isIncluded(MatchCode code) {
    return switch (code) {
      case INCLUDE, INCLUDE_AND_SEEK_NEXT_COL, INCLUDE_AND_SEEK_NEXT_ROW -> true;
      default -> false;
    };
  }

  private void count(Cell cell) throws IOException {
    if (tally == null || values == null) {
      return;
    }
    if (!values.isBounded(cell)) {
      throw new RequestException(
          Code.BAD_REQUEST,
          "The value of " + CellUtil.getCellKeyAsString(cell) + " is not added up here");
    }
    tally.add(cell);
  }

  private void advance(Level1Heap heap, Cell cell, MatchCode code) throws IOException {
    switch (code) {
      case INCLUDE, SKIP -> heap.next();
      case INCLUDE_AND_SEEK_NEXT_COL, SEEK_NEXT_COL -> {
        // Of an empty qualifier the key may be that of the next cell, and no heap gets past it.
        if (cell.getQualifierLength() == 0) {
          heap.next();
        } else {
          heap.skipTo(matcher.getKeyForNextColumn(cell));
        }
      }
      case INCLUDE_AND_SEEK_NEXT_ROW, SEEK_NEXT_ROW -> heap.skipRow(cell);
      default -> throw new IllegalStateException("Without a filter a matcher does not say " + code);
    }
  }

  private void ship(Level1Heap heap) throws IOException {
    if (blockBytes - shippedBlockBytes >= SHIPPED_EVERY_BYTES) {
      shippedBlockBytes = blockBytes;
      matcher.beforeShipped();
      heap.shipped();
    }
  }
}
