package io.ishbase.plugin.scan;

import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.ReversedKeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.jspecify.annotations.Nullable;

/**
 * HBase's scanners of the files that a node scanner has a daemon read. Unused, they cost no I/O,
 * and they hold the references that keep the files from being archived. Merged, they are HBase's
 * own path.
 */
final class Guards {
  private final String directory;
  private final ScanOrder order;
  private List<StoreFileScanner> scanners;
  private List<String> names;

  /**
   * @param scanners in ascending scanner order
   * @param names of their files in {@code directory}, in the same order
   */
  Guards(String directory, List<StoreFileScanner> scanners, List<String> names, ScanOrder order) {
    this.directory = directory;
    this.scanners = scanners;
    this.names = names;
    this.order = order;
  }

  /** Closes those that are not needed, and says whether any are left. */
  boolean retain(Predicate<StoreFileScanner> isNeeded) {
    List<StoreFileScanner> needed = new ArrayList<>(scanners.size());
    List<String> neededNames = new ArrayList<>(scanners.size());
    for (int i = 0; i < scanners.size(); i++) {
      StoreFileScanner scanner = scanners.get(i);
      if (isNeeded.test(scanner)) {
        needed.add(scanner);
        neededNames.add(names.get(i));
      } else {
        scanner.close();
      }
    }
    scanners = needed;
    names = neededNames;
    return !needed.isEmpty();
  }

  String directory() {
    return directory;
  }

  /** The files' names in their directory. */
  List<String> names() {
    return names;
  }

  List<String> paths() {
    return paths(directory, names);
  }

  /** Those of {@code names} that are none of these. */
  List<String> pathsWithout(List<String> others) {
    return paths(directory, others.stream().filter(name -> !names.contains(name)).toList());
  }

  static List<String> paths(String directory, List<String> names) {
    return names.stream().map(name -> directory + "/" + name).toList();
  }

  long maxSequenceId() {
    return scanners.stream().mapToLong(StoreFileScannerAccess::maxSequenceId).max().orElse(0);
  }

  /** The scanner order of a file, given by its index. */
  long order(int file) {
    return scanners.get(file).getScannerOrder();
  }

  void close() {
    scanners.forEach(StoreFileScanner::close);
  }

  /**
   * The merge of the files from a place on.
   *
   * @param from null: from the beginning of {@code range}
   */
  Merge merge(RowRange range, @Nullable Position from) throws IOException {
    seek(range, from);
    Merge merge =
        order.reversed()
            ? new ReversedMerge(scanners, order.comparator())
            : new ForwardMerge(scanners, order.comparator());
    KeyValueHeap heap = merge.heap();
    while (from != null
        && heap.peek() != null
        && order.isBefore(heap.peek(), fileOf(merge.currentOrder()), from)) {
      heap.next();
    }
    return merge;
  }

  private void seek(RowRange range, @Nullable Position from) throws IOException {
    Cell key = from != null ? Positions.seekKey(from) : startOf(range);
    for (StoreFileScanner scanner : scanners) {
      if (!order.reversed()) {
        scanner.seek(key);
      } else if (from == null && range.getStartRow().isEmpty()) {
        scanner.seekToLastRow();
      } else {
        scanner.backwardSeek(key);
      }
    }
  }

  /** The place that a seek to a range's first row goes to. */
  static Cell startOf(RowRange range) {
    byte[] row = range.getStartRow().toByteArray();
    return range.getIncludeStart()
        ? PrivateCellUtil.createFirstOnRow(row)
        : PrivateCellUtil.createLastOnRow(row);
  }

  private int fileOf(long scannerOrder) {
    for (int file = 0; file < scanners.size(); file++) {
      if (order(file) == scannerOrder) {
        return file;
      }
    }
    throw new IllegalStateException("No file of order " + scannerOrder);
  }

  /** HBase's heap of the files' scanners. */
  interface Merge {
    KeyValueHeap heap();

    /** The scanner order of the file that the current cell is from. */
    long currentOrder();

    /** Skips the cells before a key. */
    void skipTo(Cell key) throws IOException;
  }

  private static final class ForwardMerge extends KeyValueHeap implements Merge {
    ForwardMerge(List<StoreFileScanner> scanners, CellComparator comparator) throws IOException {
      super(scanners, comparator);
    }

    @Override
    public KeyValueHeap heap() {
      return this;
    }

    @Override
    public long currentOrder() {
      return current.getScannerOrder();
    }

    @Override
    public void skipTo(Cell key) throws IOException {
      reseek(key);
    }
  }

  private static final class ReversedMerge extends ReversedKeyValueHeap implements Merge {
    ReversedMerge(List<StoreFileScanner> scanners, CellComparator comparator) throws IOException {
      super(scanners, comparator);
    }

    @Override
    public KeyValueHeap heap() {
      return this;
    }

    @Override
    public long currentOrder() {
      return current.getScannerOrder();
    }

    @Override
    public void skipTo(Cell key) throws IOException {
      backwardSeek(key);
    }
  }
}
