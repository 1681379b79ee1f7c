package io.ishbase.daemon;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.crypto.Encryption;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/** The making of one answer from open files. For use by one thread, once. */
final class BatchBuilder {
  private static final CellComparator COMPARATOR = ReadService.COMPARATOR;

  /** Bytes of blocks after which those that were read through are given back. */
  private static final int SHIPPED_EVERY_BYTES = 1 << 20;

  /** Cells looked at between two looks at the clock, unless a filter judges each of them. */
  private static final int LOOKS_PER_CLOCK = 16;

  private final ReadRequest request;
  private final List<HFileReaders.Lease> leases;
  private final DictionaryTrainer dictionaries;
  private final long deadlineNanos;
  private final int maxBytes;
  private final int maxRows;
  private final long maxBlockBytes;
  private final CellBatch.Encoder cells = new CellBatch.Encoder(2048);
  private final CellSelector selector;
  private final @Nullable MobValues mobValues;
  private final @Nullable Cell from;
  private final boolean filters;
  private final FileScanners scanners;
  private final BlockBytes blocks = new BlockBytes();

  private int rows;
  private int cellsOfRows;
  private int looked;
  private boolean timeIsOver;

  /** Of the large objects that the cells refer to, about; and whether the row's is in it. */
  private long announcedBytes;

  private boolean isAnnounced;
  private long shippedBlockBytes;

  /**
   * @param filter the request's; null if it has none
   * @param mobValues where large objects come from; null: nobody asked for them
   */
  BatchBuilder(
      ReadRequest request,
      List<HFileReaders.Lease> leases,
      DictionaryTrainer dictionaries,
      @Nullable GuardedFilter filter,
      @Nullable MobValues mobValues,
      LargeCells.Share largeCells,
      int maxBytes,
      long deadlineNanos) {
    this.request = request;
    this.leases = leases;
    this.dictionaries = dictionaries;
    this.deadlineNanos = deadlineNanos;
    this.filters = filter != null;
    this.mobValues = mobValues;
    this.maxBytes = maxBytes;
    // Without a sign.
    this.maxBlockBytes =
        request.getMaxBlockBytes() > 0 ? request.getMaxBlockBytes() : Long.MAX_VALUE;
    this.maxRows = request.hasMaxRows() ? Math.max(1, request.getMaxRows()) : Integer.MAX_VALUE;
    SortedSet<byte[]> columns = request.getColumnCount() == 0 ? null : columns(request);
    this.scanners = new FileScanners(request, leases, columns);
    this.selector =
        new CellSelector(
            request,
            columns == null ? null : columns.toArray(byte[][]::new),
            filter,
            cells,
            largeCells,
            maxBytes);
    this.from = request.hasFrom() ? Positions.seekKey(request.getFrom()) : null;
  }

  private static SortedSet<byte[]> columns(ReadRequest request) {
    SortedSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    request.getColumnList().forEach(column -> columns.add(column.toByteArray()));
    return columns;
  }

  ReadResponse.Builder build() throws IOException {
    ReadResponse.Builder response = ReadResponse.newBuilder().setCode(Code.OK);
    Position next;
    try {
      next = addRanges();
    } finally {
      scanners.close();
    }
    CellBatch.Encoder sent = cells;
    int taken = cells.count();
    boolean isCut = false;
    if (mobValues != null) {
      taken = mobValues.take(cells, maxBytes, this::isTimeOver);
      isCut = taken < cells.count();
      next = isCut ? selector.cut(taken) : next;
      sent = mobValues.batch();
      response.addAllMobValue(mobValues.values());
    }
    if (next != null) {
      response.setNext(next);
    }
    selector
        .filteredRows()
        .read(
            taken,
            next != null,
            (cell, rows) ->
                response
                    .setFilteredRows(response.getFilteredRows() + rows)
                    .addFilteredCell(cell)
                    .addFilteredAhead(rows));
    blocks.addTo(response, taken, isCut);
    response.setCellCount(sent.count());
    if (!request.getPack() || !addPacked(response, sent)) {
      response.setCells(UnsafeByteOperations.unsafeWrap(sent.array(), 0, sent.size()));
    }
    return response;
  }

  /** Tells a span what the answer took. */
  void describe(Span span) {
    span.setAttribute(Spans.EXAMINED, looked)
        .setAttribute(Spans.BLOCKS, blocks.blocks())
        .setAttribute(Spans.BLOCK_BYTES, blocks.bytes());
  }

  /** Adds the cells packed, unless they are better sent as they are. */
  private boolean addPacked(ReadResponse.Builder response, CellBatch.Encoder sent) {
    byte[] packed =
        Packing.pack(
            sent.array(), sent.size(), maxBytes, request.getRange(0).getStartRow().toByteArray());
    if (packed == null) {
      return false;
    }
    // No dictionary gains much on large objects, and their files may be encrypted.
    boolean mayHave = response.getMobValueCount() == 0 && !hasEncryptedFile();
    Dictionary dictionary = mayHave ? dictionary(response, packed) : null;
    byte[] compressed = Packing.compress(packed, dictionary);
    if (compressed.length >= sent.size()) {
      return false;
    }
    if (dictionary != null) {
      response.setWithDictionary(true);
    }
    response.setUnpackedBytes(sent.size()).setCells(UnsafeByteOperations.unsafeWrap(compressed));
    return true;
  }

  /** The dictionary that both ends have; null: they have none. Offers the one that there is. */
  private @Nullable Dictionary dictionary(ReadResponse.Builder response, byte[] packed) {
    String family = Dictionary.family(request.getDirectory());
    Dictionary dictionary = dictionaries.of(family, packed.length);
    dictionaries.saw(family, packed);
    if (dictionary == null || dictionary.id() == request.getDictionary()) {
      return dictionary;
    }
    response.setDictionary(dictionary.id());
    return null;
  }

  /** Nothing is learnt from what is encrypted: a dictionary has pieces of it, and outlives it. */
  private boolean hasEncryptedFile() {
    return leases.stream()
        .map(lease -> lease.reader().getHFileReader().getFileContext().getEncryptionContext())
        .anyMatch(encryption -> encryption != Encryption.Context.NONE);
  }

  private @Nullable Position addRanges() throws IOException {
    boolean isFirst = true;
    for (RowRange range : request.getRangeList()) {
      Cell start = FileScanners.startOf(range);
      if (from != null && isPast(from, range.getStopRow().toByteArray(), range.getIncludeStop())) {
        continue;
      }
      if (!isFirst && isTimeOver()) {
        Position overfull = selector.overfull();
        return overfull == null ? Positions.atKey(start) : overfull;
      }
      isFirst = false;
      Position next = add(range, start);
      if (next != null) {
        return next;
      }
    }
    return selector.overfull();
  }

  /** Adds the cells of a range. If the budget ends first: where the rest begins; else null. */
  private @Nullable Position add(RowRange range, Cell rangeStart) throws IOException {
    boolean goesOn = from != null && (range.getStartRow().isEmpty() || isBehind(from, rangeStart));
    Cell goesOnAt = goesOn ? from : null;
    Level1Heap heap = scanners.heap(range, goesOnAt == null ? rangeStart : goesOnAt, !goesOn);
    if (goesOnAt != null) {
      skipTo(heap, goesOnAt);
    }
    Position next = add(heap, range, goesOnAt);
    if (next == null) {
      selector.finishRow();
    }
    return next;
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
    if (stopRow.length == 0) {
      return false;
    }
    int order = COMPARATOR.compareRows(cell, stopRow, 0, stopRow.length);
    if (request.getReversed()) {
      order = -order;
    }
    return includeStop ? order > 0 : order >= 0;
  }

  /**
   * Adds the cells of a heap.
   *
   * @param goesOnAt where an answer ended before; null: at the beginning of the range
   */
  private @Nullable Position add(Level1Heap heap, RowRange range, @Nullable Cell goesOnAt)
      throws IOException {
    byte[] stopRow = range.getStopRow().toByteArray();
    boolean first = true;
    for (ExtendedCell cell = heap.peek(); cell != null; cell = heap.peek()) {
      if (cell.getSequenceId() > request.getReadPoint()) {
        // HBase's scanner of a file may stand there in a reverse scan, with nothing older behind.
        heap.next();
        continue;
      }
      CellSelector.Step step = CellSelector.Step.NEXT;
      boolean isNewRow = selector.isNewRow(cell);
      boolean isNewBlock = blocks.isNew(heap);
      if (isNewRow) {
        if (selector.finishRow() && ++rows == maxRows) {
          cellsOfRows = cells.count();
        }
        if (isPast(cell, stopRow, range.getIncludeStop())) {
          if (isNewBlock) {
            blocks.count(cells.count());
          }
          return null;
        }
      }
      if (isFull()
          || isNewRow && announcedBytes >= maxBytes && cells.count() > 0
          || isNewBlock && hasReadEnough()) {
        // The next answer counts the block of this cell, if it begins there.
        return end(heap, cell, isNewBlock);
      }
      if (isNewBlock) {
        blocks.count(cells.count());
      }
      if (isNewRow) {
        boolean fromStart =
            !first
                || goesOnAt == null
                || !CellUtil.matchingRows(cell, goesOnAt)
                || isBeforeRow(goesOnAt);
        step = selector.startRow(cell, heap.currentFile(), fromStart);
        first = false;
      }
      if (step == CellSelector.Step.NEXT) {
        if (mobValues != null) {
          announce(cell, isNewRow);
        }
        step = selector.add(cell, heap.currentFile());
      }
      if (step == CellSelector.Step.END
          || step == CellSelector.Step.SEEK
              && isPast(selector.seekKey(), stopRow, range.getIncludeStop())) {
        return null;
      }
      advance(heap, cell, step);
    }
    return null;
  }

  /** Where the rest begins; says there which blocks were counted, unless it goes back. */
  private Position end(Level1Heap heap, ExtendedCell cell, boolean isNewBlock) throws IOException {
    int file = heap.currentFile();
    int cellsBefore = cells.count();
    Position next = selector.end(cell, file);
    if (!Positions.isAt(next, cell, file)) {
      return next;
    }
    if (isNewBlock && next.getAfter()) {
      // The next answer may begin in another block.
      blocks.count(cellsBefore);
    }
    int pending = isNewBlock && !next.getAfter() ? file : -1;
    return next.toBuilder().addAllCountedFile(scanners.counted(pending)).build();
  }

  /**
   * Takes note of the value that is to come behind a reference: no more references are merged than
   * values are likely to fit. Of a row the first counts, unless a marker may hide it.
   */
  private void announce(Cell cell, boolean isNewRow) {
    isAnnounced &= !isNewRow;
    if (!isAnnounced) {
      isAnnounced = CellUtil.isDelete(cell) || MobUtils.isMobReferenceCell(cell);
      announcedBytes += MobValues.announcedBytes(cell);
    }
  }

  private static boolean isBeforeRow(Cell key) {
    return COMPARATOR.compare(key, PrivateCellUtil.createFirstOnRow(key)) <= 0;
  }

  /** Whether the budget ends before the current cell. */
  private boolean isFull() {
    looked++;
    if (filters || looked % LOOKS_PER_CLOCK == 0) {
      isTimeOver();
    }
    return timeIsOver
        || selector.isFull()
        // After the last row its reader looks for one more cell, to see that the row is over.
        || (rows >= maxRows && cells.count() > cellsOfRows && !selector.isJudging());
  }

  /** What is judged as a whole is read to its end. */
  private boolean hasReadEnough() {
    return blocks.bytes() >= maxBlockBytes && !selector.isJudging();
  }

  private boolean isTimeOver() {
    timeIsOver = timeIsOver || System.nanoTime() - deadlineNanos > 0;
    return timeIsOver;
  }

  private void advance(Level1Heap heap, ExtendedCell cell, CellSelector.Step step)
      throws IOException {
    switch (step) {
      case NEXT_COLUMN -> heap.skipTo(PrivateCellUtil.createLastOnRowCol(cell));
      case NEXT_ROW -> heap.skipRow(cell);
      case SEEK -> heap.skipTo(selector.seekKey());
      default -> heap.next();
    }
    if (blocks.bytes() - shippedBlockBytes >= SHIPPED_EVERY_BYTES) {
      shippedBlockBytes = blocks.bytes();
      heap.shipped();
    }
  }

  private void skipTo(Level1Heap heap, Cell goesOnAt) throws IOException {
    ExtendedCell cell = heap.peek();
    while (cell != null
        && CellUtil.matchingRows(cell, goesOnAt)
        && Positions.isBefore(COMPARATOR, cell, heap.currentFile(), goesOnAt, request.getFrom())) {
      heap.next();
      cell = heap.peek();
    }
  }
}
