package io.ishbase.plugin.aggregate;

import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;

/**
 * The rows of a range of which a store's memstores have cells that a reader may see, in ascending
 * order. For use by one thread.
 */
final class MemstoreRows implements Closeable {
  private final KeyValueHeap heap;
  private final CellComparator comparator;
  private final byte[] stopRow;
  private final boolean includeStop;

  /**
   * Takes over the scanners.
   *
   * @param scanners of the memstores, as the reader sees them
   */
  MemstoreRows(List<KeyValueScanner> scanners, RowRange range, CellComparator comparator)
      throws IOException {
    this.comparator = comparator;
    this.stopRow = range.getStopRow().toByteArray();
    this.includeStop = range.getIncludeStop();
    byte[] startRow = range.getStartRow().toByteArray();
    Cell start =
        range.getIncludeStart()
            ? PrivateCellUtil.createFirstOnRow(startRow)
            : PrivateCellUtil.createLastOnRow(startRow);
    for (KeyValueScanner scanner : scanners) {
      scanner.seek(start);
    }
    heap = new KeyValueHeap(scanners, comparator);
  }

  /**
   * The next rows, fewer only at the end.
   *
   * @param count so many at most
   * @param bytes rows after which there is no other one, at least one
   */
  List<byte[]> next(int count, int bytes) throws IOException {
    List<byte[]> rows = new ArrayList<>();
    int taken = 0;
    while (rows.size() < count && taken < bytes && hasNext()) {
      byte[] row = CellUtil.cloneRow(heap.peek());
      rows.add(row);
      taken += row.length;
      while (heap.peek() != null && CellUtil.matchingRows(heap.peek(), row)) {
        heap.next();
      }
    }
    return rows;
  }

  boolean hasNext() {
    Cell cell = heap.peek();
    if (cell == null || stopRow.length == 0) {
      return cell != null;
    }
    int order = comparator.compareRows(cell, stopRow, 0, stopRow.length);
    return includeStop ? order <= 0 : order < 0;
  }

  @Override
  public void close() {
    heap.close();
  }
}
