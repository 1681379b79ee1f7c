package io.ishbase.plugin.scan;

import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.jspecify.annotations.Nullable;

/**
 * The node scanners of several storage nodes, which together have all of a store's files, merged by
 * HBase's own heap: a heap for each range. All are asked for a range at once.
 *
 * <p>Relies on HBase 2.6: {@code KeyValueHeap} closes scanners that have ended only when it is
 * shipped or closed, which never happens to this heap; the next range wants them again.
 */
public final class JoinedNodes implements RangeScanner {
  private final CellComparator comparator;
  private List<NodeScanner> parts;
  private @Nullable Heap heap;

  /** HBase's, which shows whose turn it is. */
  private static final class Heap extends KeyValueHeap {
    Heap(List<NodeScanner> scanners, CellComparator comparator) throws IOException {
      super(scanners, comparator);
    }

    /** Zero between two ranges. */
    @Override
    public long getScannerOrder() {
      return current == null ? 0 : current.getScannerOrder();
    }

    @Override
    public void recordBlockSize(IntConsumer blockSizeConsumer) {
      if (current != null) {
        current.recordBlockSize(blockSizeConsumer);
      }
    }
  }

  /** Takes over the parts' scanners. */
  public JoinedNodes(List<NodeScanner> parts, CellComparator comparator) {
    this.parts = List.copyOf(parts);
    this.comparator = comparator;
  }

  @Override
  public boolean needs(Scan scan, HStore store, long oldestUnexpiredTs) {
    List<NodeScanner> needed = new ArrayList<>(parts.size());
    for (NodeScanner part : parts) {
      if (part.needs(scan, store, oldestUnexpiredTs)) {
        needed.add(part);
      } else {
        part.close();
      }
    }
    parts = needed;
    return !needed.isEmpty();
  }

  @Override
  public void request(RowRange ofScan) {
    heap = null;
    parts.forEach(part -> part.request(ofScan));
  }

  @Override
  public void begin() throws IOException {
    for (NodeScanner part : parts) {
      part.begin();
    }
    heap = new Heap(parts, comparator);
  }

  @Override
  public @Nullable Cell peek() {
    return heap == null ? null : heap.peek();
  }

  @Override
  public @Nullable Cell next() throws IOException {
    return heap == null ? null : heap.next();
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    return heap != null && heap.reseek(key);
  }

  @Override
  public long getScannerOrder() {
    return heap == null ? 0 : heap.getScannerOrder();
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    if (heap != null) {
      heap.recordBlockSize(blockSizeConsumer);
    }
  }

  @Override
  public void shipped() throws IOException {
    for (NodeScanner part : parts) {
      part.shipped();
    }
  }

  @Override
  public void close() {
    heap = null;
    parts.forEach(NodeScanner::close);
  }
}
