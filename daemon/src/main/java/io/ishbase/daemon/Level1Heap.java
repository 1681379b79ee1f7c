package io.ishbase.daemon;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;

/**
 * The merge of a request's files on this node: level 1 of the two-level heap (IS-HBase, section
 * 5.2.1). HBase's own heap, which here also says from which file the current cell comes.
 */
final class Level1Heap extends KeyValueHeap {
  Level1Heap(List<StoreFileScanner> soughtScanners, CellComparator comparator) throws IOException {
    super(soughtScanners, comparator);
  }

  @Override
  public ExtendedCell peek() {
    return (ExtendedCell) super.peek();
  }

  /** The index in the request of the file that the current cell comes from. */
  int currentFile() {
    return (int) current.getScannerOrder();
  }
}
