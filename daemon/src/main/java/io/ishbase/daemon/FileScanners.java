package io.ishbase.daemon;

import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.jspecify.annotations.Nullable;

/**
 * The scanners of a request's files, merged for one of its ranges after the other. For a range that
 * lies behind the one before they go on from where they stand, so that rows of one block take one
 * look into the index, and the block is read once. For use by one thread.
 */
final class FileScanners implements Closeable {
  private static final CellComparator COMPARATOR = ReadService.COMPARATOR;

  private final ReadRequest request;
  private final List<HFileReaders.Lease> leases;
  private final @Nullable SortedSet<byte[]> columns;

  /** Files of whose block, where the request goes on, the bytes were told. */
  private final BitSet isCounted = new BitSet();

  /** By file; null: it was not asked for anything yet. */
  private final @Nullable FileScanner[] scanners;

  private @Nullable Level1Heap heap;
  private @Nullable RowRange before;
  private @Nullable Cell startBefore;

  /**
   * @param columns asked for; null: all
   */
  FileScanners(
      ReadRequest request, List<HFileReaders.Lease> leases, @Nullable SortedSet<byte[]> columns) {
    this.request = request;
    this.leases = leases;
    this.columns = columns;
    this.scanners = new FileScanner[leases.size()];
    request.getFrom().getCountedFileList().forEach(isCounted::set);
  }

  static Cell startOf(RowRange range) {
    byte[] row = range.getStartRow().toByteArray();
    return range.getIncludeStart()
        ? PrivateCellUtil.createFirstOnRow(row)
        : PrivateCellUtil.createLastOnRow(row);
  }

  /** The merge of what the files may have in {@code range}; the one before is over. */
  Level1Heap heap(RowRange range) throws IOException {
    return heap(range, startOf(range), true);
  }

  /**
   * As {@link #heap(RowRange)}.
   *
   * @param start where to begin
   * @param isAtStart whether that is where the range does
   */
  Level1Heap heap(RowRange range, Cell start, boolean isAtStart) throws IOException {
    boolean goesOn = isBehindLast(start);
    if (!goesOn) {
      close();
    } else if (heap != null) {
      heap.shipped();
    }
    before = range;
    startBefore = start;
    Scan scan = asScan(range);
    List<FileScanner> merged = new ArrayList<>(leases.size());
    for (int file = 0; file < scanners.length; file++) {
      StoreFileReader reader = leases.get(file).reader();
      if (reader.passesKeyRangeFilter(scan)
          && leases.get(file).passesBloomFilter(scan, columns)
          && seek(file, start, isAtStart && range.getStartRow().isEmpty())) {
        merged.add(scanners[file]);
        if (!isAtStart && isCounted.get(file)) {
          scanners[file].recordBlock(bytes -> {});
        }
      }
    }
    heap =
        request.getReversed()
            ? new Level1Heap.Reversed(merged, COMPARATOR)
            : new Level1Heap.Forward(merged, COMPARATOR);
    return heap;
  }

  /**
   * The files whose current block was counted, for whoever goes on here.
   *
   * @param pending a file whose current block is not, though its size was said
   */
  List<Integer> counted(int pending) {
    List<Integer> counted = new ArrayList<>();
    for (int file = 0; file < scanners.length; file++) {
      FileScanner scanner = scanners[file];
      if (file != pending && scanner != null && scanner.peek() != null && scanner.isRecorded()) {
        counted.add(file);
      }
    }
    return counted;
  }

  /** Whether all that was read of the range before lies before {@code start}. */
  private boolean isBehindLast(Cell start) {
    if (request.getReversed() || before == null || startBefore == null) {
      return false;
    }
    byte[] stopRow = before.getStopRow().toByteArray();
    // A range may end before it begins, and its files stand where it does.
    if (stopRow.length == 0 || COMPARATOR.compare(start, startBefore) < 0) {
      return false;
    }
    int order = COMPARATOR.compareRows(start, stopRow, 0, stopRow.length);
    return before.getIncludeStop() ? order > 0 : order >= 0;
  }

  /** Whether the file has a cell there. */
  private boolean seek(int file, Cell start, boolean isFromEnd) throws IOException {
    FileScanner scanner = scanners[file];
    if (scanner != null) {
      scanner.beginRange();
      return scanner.peek() != null
          && (COMPARATOR.compare(scanner.peek(), start) >= 0 || scanner.reseek(start));
    }
    scanner =
        new FileScanner(
            leases.get(file).reader(), request.getCacheBlocks(), request.getReadPoint(), file);
    scanners[file] = scanner;
    if (!request.getReversed()) {
      return scanner.seek(start);
    }
    // Where it finds nothing it may stand behind where it was to go.
    return isFromEnd ? scanner.seekToLastRow() : scanner.backwardSeek(start);
  }

  // Key ranges and Bloom filters are asked as HBase's scanner would ask them.
  private Scan asScan(RowRange range) {
    return new Scan()
        .setReversed(request.getReversed())
        .withStartRow(range.getStartRow().toByteArray(), range.getIncludeStart())
        .withStopRow(range.getStopRow().toByteArray(), range.getIncludeStop());
  }

  @Override
  public void close() {
    for (int file = 0; file < scanners.length; file++) {
      FileScanner scanner = scanners[file];
      if (scanner != null) {
        scanner.close();
        scanners[file] = null;
      }
    }
    heap = null;
  }
}
