package io.ishbase.plugin.scan;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.Packing;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.StorageReads;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one answer, checked: nothing that a daemon sends reaches HBase's merge before it
 * matched its checksum, its count, the order of cells and the read point.
 */
public final class NodeBatch {
  /** Which one of many blocks is not larger than. */
  private static final long BLOCK_BYTES = 1 << 20;

  /** Which one of a file may be, with a large cell. */
  private static final long LARGE_BLOCK_BYTES = 64 << 20;

  /** Of the place where the rest begins, which the next request carries. */
  private static final int MOST_NEXT_BYTES = Protocol.MAX_REQUEST_BYTES / 2;

  private final KeyValue[] cells;
  private final int[] files;
  private final Gap @Nullable [] gaps;
  private final @Nullable Position next;
  private final int bytes;

  /** By the index of the cell before which they were read. */
  private final NavigableMap<Integer, Long> blockBytes;

  /** The same of rows that were left out whole. */
  private final NavigableMap<Integer, Long> filteredRows;

  private final StorageReads.Count storageReads;

  /** Whether a row was given what was read behind the last cell. */
  private boolean isRestGiven;

  private NodeBatch(
      KeyValue[] cells,
      int[] files,
      Gap @Nullable [] gaps,
      @Nullable Position next,
      int bytes,
      NavigableMap<Integer, Long> blockBytes,
      NavigableMap<Integer, Long> filteredRows,
      StorageReads.Count storageReads) {
    this.cells = cells;
    this.files = files;
    this.gaps = gaps;
    this.next = next;
    this.bytes = bytes;
    this.blockBytes = blockBytes;
    this.filteredRows = filteredRows;
    this.storageReads = storageReads;
  }

  /**
   * What comes as an answer to {@code request}, which is waited for.
   *
   * @throws DaemonException if there is none, or it is no batch
   */
  public static NodeBatch of(ReadCall call, ReadRequest request, CellComparator comparator)
      throws IOException {
    return of(call.await(), request, call.dictionary(), comparator);
  }

  /**
   * What {@code response} says to {@code request}.
   *
   * @param dictionary that the daemon was told is here; null: none
   * @throws DaemonException if the answer is no batch, with the reason
   */
  public static NodeBatch of(
      ReadResponse response,
      ReadRequest request,
      @Nullable Dictionary dictionary,
      CellComparator comparator)
      throws DaemonException {
    // A daemon of another version may not know the checksum.
    if (response.getCode() != Code.VERSION && !Checksums.isIntact(response)) {
      throw new DaemonException(Reason.BAD_ANSWER, "Wrong checksum");
    }
    if (response.getCode() != Code.OK) {
      throw new DaemonException(
          reason(response.getCode()),
          response.getCode() + ": " + response.getMessage(),
          response.hasFailedFile() ? response.getFailedFile() : -1);
    }
    byte[] bytes = response.getCells().toByteArray();
    try {
      if (response.hasUnpackedBytes()) {
        if (response.getWithDictionary() && dictionary == null) {
          throw new DaemonException(Reason.BAD_ANSWER, "A dictionary that is not here");
        }
        bytes =
            Packing.unpack(
                bytes,
                Integer.toUnsignedLong(response.getUnpackedBytes()),
                request.getMaxBytes(),
                request.getRange(0).getStartRow().toByteArray(),
                response.getWithDictionary() ? dictionary : null);
        InStorageMetrics.get().unpacked(response.getCells().size(), bytes.length);
      }
      return decode(response, bytes, request, comparator);
    } catch (DaemonException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new DaemonException(Reason.BAD_ANSWER, e);
    }
  }

  private static NodeBatch decode(
      ReadResponse response, byte[] bytes, ReadRequest request, CellComparator comparator)
      throws IOException {
    int fileCount = request.getFileCount();
    long readPoint = request.getReadPoint();
    boolean reversed = request.getReversed();
    // No more is allocated for a claim than the bytes can hold.
    KeyValue[] cells =
        new KeyValue[Math.min(response.getCellCount(), CellBatch.maxCells(bytes.length))];
    int[] files = new int[cells.length];
    Gap[] gaps = null;
    CellBatch.Decoder decoder = new CellBatch.Decoder(bytes);
    int count = 0;
    int mobValues = 0;
    KeyValue previous = null;
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      if (mobValues < response.getMobValueCount()
          && response.getMobValue(mobValues) == count + mobValues) {
        if (previous == null || !isValue(comparator, previous, cell, readPoint)) {
          throw new DaemonException(
              Reason.BAD_ANSWER, cell + " is not what " + previous + " refers to");
        }
        cells[count - 1] = new MobReference(previous, cell);
        mobValues++;
        // Two values of one cell are none.
        previous = cells[count - 1];
        continue;
      }
      if (count == cells.length
          || decoder.file() < 0
          || decoder.file() >= fileCount
          || cell.getSequenceId() > readPoint
          || (previous != null && !isInOrder(comparator, previous, cell, reversed))) {
        throw new DaemonException(Reason.BAD_ANSWER, "Cell " + count + " breaks a rule: " + cell);
      }
      cells[count] = cell;
      files[count] = decoder.file();
      if (decoder.gap() != Gap.NONE) {
        if (gaps == null) {
          gaps = new Gap[cells.length];
          Arrays.fill(gaps, Gap.NONE);
        }
        gaps[count] = decoder.gap();
      }
      count++;
      previous = cell;
    }
    if (response.hasNext() && !isSound(response.getNext(), fileCount)) {
      throw new DaemonException(Reason.BAD_ANSWER, "The rest begins at a place that is none");
    }
    if (mobValues != response.getMobValueCount() || count + mobValues != response.getCellCount()) {
      throw new DaemonException(
          Reason.BAD_ANSWER,
          count
              + " cells and "
              + mobValues
              + " values instead of "
              + response.getCellCount()
              + ", of them "
              + response.getMobValueCount()
              + " values");
    }
    return new NodeBatch(
        count == cells.length ? cells : Arrays.copyOf(cells, count),
        files,
        gaps,
        response.hasNext() ? response.getNext() : null,
        bytes.length,
        byCell(
            "Blocks",
            response.getBlockCellList(),
            response.getBlockBytesList(),
            count,
            mostBlockBytes(request)),
        filteredRows(response, count),
        StorageReads.Count.of(response, bytes.length));
  }

  /** The release before does not say where they were. */
  private static NavigableMap<Integer, Long> filteredRows(ReadResponse response, int cells)
      throws DaemonException {
    return response.getFilteredRows() > 0 && response.getFilteredCellCount() == 0
        ? new TreeMap<>(Map.of(cells, (long) response.getFilteredRows()))
        : byCell(
            "Filtered rows",
            response.getFilteredCellList(),
            response.getFilteredAheadList(),
            cells,
            Long.MAX_VALUE);
  }

  /**
   * By the cells ahead of which they come.
   *
   * @param cellCount of the answer: none comes further behind
   * @param most of all together; what exceeds it is left out
   */
  private static NavigableMap<Integer, Long> byCell(
      String what, List<Integer> cells, List<Integer> counts, int cellCount, long most)
      throws DaemonException {
    if (cells.isEmpty() && counts.isEmpty()) {
      return Collections.emptyNavigableMap();
    }
    if (cells.size() != counts.size()
        || counts.stream().anyMatch(count -> count < 0)
        || cells.stream().anyMatch(cell -> cell < 0 || cell > cellCount)) {
      throw new DaemonException(Reason.BAD_ANSWER, what + " without a number, or without a place");
    }
    NavigableMap<Integer, Long> byCell = new TreeMap<>();
    long left = most;
    for (int i = 0; i < cells.size(); i++) {
      long count = Math.min(left, counts.get(i));
      left -= count;
      byCell.merge(cells.get(i), count, Long::sum);
    }
    return byCell;
  }

  /** Of all blocks of an answer: a user's quota pays for them, whatever a daemon says. */
  private static long mostBlockBytes(ReadRequest request) {
    // HBase may have no limit.
    return Math.min(Protocol.MAX_TOLD_BYTES, request.getMaxBlockBytes())
        + request.getFileCount() * (LARGE_BLOCK_BYTES + request.getRangeCount() * BLOCK_BYTES);
  }

  private static boolean isSound(Position next, int fileCount) {
    return Positions.isSound(next)
        && next.getSerializedSize() <= MOST_NEXT_BYTES
        && next.getCountedFileCount() <= fileCount
        && next.getCountedFileList().stream().allMatch(file -> file >= 0 && file < fileCount);
  }

  private static boolean isValue(
      CellComparator comparator, KeyValue reference, KeyValue value, long readPoint) {
    return !(reference instanceof MobReference)
        && MobUtils.isMobReferenceCell(reference)
        && PrivateCellUtil.compareKeyIgnoresMvcc(comparator, reference, value) == 0
        && value.getSequenceId() <= readPoint;
  }

  private static boolean isInOrder(
      CellComparator comparator, Cell previous, Cell cell, boolean reversed) {
    return (reversed && comparator.compareRows(previous, cell) > 0)
        || comparator.compare(previous, cell) <= 0
            && (!reversed || comparator.compareRows(previous, cell) == 0);
  }

  /** Why a daemon that answers {@code code} is not asked for the rest. */
  public static Reason reason(Code code) {
    return switch (code) {
      case BUSY -> Reason.BUSY;
      case STOPPING -> Reason.STOPPING;
      case VERSION -> Reason.VERSION;
      case REFUSED -> Reason.REFUSED;
      case NO_FILE -> Reason.NO_FILE;
      case UNSUPPORTED -> Reason.UNSUPPORTED;
      case CORRUPT -> Reason.CORRUPT_FILE;
      case FILTER -> Reason.FILTER;
      case FILTER_FAILED -> Reason.FILTER_FAILED;
      case BAD_REQUEST -> Reason.BAD_REQUEST;
      // To be asked again is nothing that a reader is told.
      case LATER, UNKNOWN_HANDLE -> Reason.BAD_ANSWER;
      case OK, FAILED, STORAGE -> Reason.FAILED;
    };
  }

  public int count() {
    return cells.length;
  }

  /** The cells, in order. */
  public List<KeyValue> cells() {
    return Arrays.asList(cells);
  }

  /** What the daemon read of files. */
  StorageReads.Count storageReads() {
    return storageReads;
  }

  /** Whether anything was left out that a reader may want. */
  public boolean hasGaps() {
    return gaps != null;
  }

  public KeyValue cell(int index) {
    return cells[index];
  }

  /** Whether it has cells of {@code row}; of a forward read. */
  boolean has(byte[] row) {
    int first = firstAtOrBehind(row);
    return first < cells.length && CellUtil.matchingRows(cells[first], row);
  }

  /**
   * The cells of one row of a forward read. What was read behind the last cell goes with the first
   * row that has no cells behind it: rows that the files do not have all end there. Of rows that
   * were left out in one place one goes with each row that has no cells there.
   *
   * @param next where the rest of the row begins, or null if there is none
   */
  public NodeBatch ofRow(byte[] row, @Nullable Position next) {
    int from = firstAtOrBehind(row);
    int to = from;
    int rowBytes = 0;
    NavigableMap<Integer, Long> blocks = new TreeMap<>();
    while (to < cells.length && CellUtil.matchingRows(cells[to], row)) {
      rowBytes +=
          cells[to].getLength() + (cells[to] instanceof MobReference mob ? mob.valueBytes() : 0);
      to++;
    }
    boolean takesRest = to == cells.length && !isRestGiven;
    isRestGiven |= takesRest;
    blocks.put(0, blockBytes(from, takesRest ? Integer.MAX_VALUE : to));
    boolean isLeftOut = from == to && filteredRows.getOrDefault(from, 0L) > 0;
    if (isLeftOut) {
      filteredRows.merge(from, -1L, Long::sum);
    }
    return new NodeBatch(
        Arrays.copyOfRange(cells, from, to),
        Arrays.copyOfRange(files, from, to),
        gaps(from, to),
        next,
        rowBytes,
        blocks,
        isLeftOut ? new TreeMap<>(Map.of(0, 1L)) : Collections.emptyNavigableMap(),
        // Of Gets nobody asks.
        StorageReads.Count.NOTHING);
  }

  /**
   * Rows that the daemon looked at and left out whole.
   *
   * @param from index of a cell: what comes before it does not count
   * @param to index behind another; greater than any: also those behind the last cell
   */
  long filteredRows(int from, int to) {
    return sum(filteredRows, from, to);
  }

  /** The first cell at or behind {@code index} ahead of which rows were left out. */
  int filteredAt(int index) {
    Integer cell = filteredRows.ceilingKey(index);
    return cell == null ? Integer.MAX_VALUE : cell;
  }

  /**
   * Bytes of blocks that the daemon read for some of the cells.
   *
   * @param from index of the first
   * @param to index behind the last; greater than any: also what it read behind the last cell
   */
  long blockBytes(int from, int to) {
    return sum(blockBytes, from, to);
  }

  private static long sum(NavigableMap<Integer, Long> byCell, int from, int to) {
    long sum = 0;
    for (long count : byCell.subMap(from, to).values()) {
      sum += count;
    }
    return sum;
  }

  private Gap @Nullable [] gaps(int from, int to) {
    if (gaps != null) {
      for (int i = from; i < to; i++) {
        if (gaps[i] != Gap.NONE) {
          return Arrays.copyOfRange(gaps, from, to);
        }
      }
    }
    return null;
  }

  private int firstAtOrBehind(byte[] row) {
    int low = 0;
    int high = cells.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      KeyValue cell = cells[middle];
      if (Bytes.compareTo(
              cell.getRowArray(), cell.getRowOffset(), cell.getRowLength(), row, 0, row.length)
          < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Rows, without the last one if the batch ends within it or there may be more of it. */
  public int completeRows(CellComparator comparator) {
    int rows = 0;
    for (int i = 1; i < cells.length; i++) {
      if (comparator.compareRows(cells[i - 1], cells[i]) != 0) {
        rows++;
      }
    }
    return rows;
  }

  /** The index in the request of the file that cell {@code index} comes from. */
  int file(int index) {
    return files[index];
  }

  /** What was left out behind cell {@code index}. */
  public Gap gap(int index) {
    return gaps == null ? Gap.NONE : gaps[index];
  }

  /** Where the rest begins, or null if there is none. */
  public @Nullable Position next() {
    return next;
  }

  /** Encoded size. */
  public int bytes() {
    return bytes;
  }
}
