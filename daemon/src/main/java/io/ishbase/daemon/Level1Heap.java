package io.ishbase.daemon;

import java.io.IOException;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.ReversedKeyValueHeap;
import org.jspecify.annotations.Nullable;

/**
 * The merge of a request's files on this node: level 1 of the two-level heap (IS-HBase, section
 * 5.2.1). HBase's own heap, which here also says from which file the current cell comes.
 */
interface Level1Heap {
  /** Cells after which a seek is likely to be cheaper than the next step. */
  int STEPS_BEFORE_SEEK = 6;

  /** The current cell; null at the end. */
  @Nullable ExtendedCell peek();

  /** Moves to the next cell. */
  @Nullable Cell next() throws IOException;

  /** The index in the request of the file that the current cell comes from. */
  int currentFile();

  /**
   * Moves to the first cell at or behind {@code key}, which lies in the current row or behind it.
   */
  void skipTo(Cell key) throws IOException;

  /** Moves to the first cell of the row behind that of {@code cell}, the current cell. */
  void skipRow(Cell cell) throws IOException;

  /** Says the size of the current cell's block, unless it was said before. */
  void recordBlock(IntConsumer blockSizeConsumer);

  /** Lets go of blocks that were read through. */
  void shipped() throws IOException;

  /** Rows in ascending order. */
  final class Forward extends KeyValueHeap implements Level1Heap {
    Forward(List<FileScanner> soughtScanners, CellComparator comparator) throws IOException {
      super(soughtScanners, comparator);
    }

    @Override
    public @Nullable ExtendedCell peek() {
      return (ExtendedCell) super.peek();
    }

    @Override
    public int currentFile() {
      return (int) current.getScannerOrder();
    }

    @Override
    public void recordBlock(IntConsumer blockSizeConsumer) {
      if (current != null) {
        ((FileScanner) current).recordBlock(blockSizeConsumer);
      }
    }

    @Override
    public void skipTo(Cell key) throws IOException {
      for (int step = 0; step < STEPS_BEFORE_SEEK && isInBlock(key); step++) {
        next();
        Cell cell = peek();
        if (cell == null || comparator.compare(cell, key) >= 0) {
          return;
        }
      }
      reseek(key);
    }

    /** Whether no block is stepped into that may have nothing behind {@code key}. */
    private boolean isInBlock(Cell key) {
      Cell nextBlock = getNextIndexedKey();
      return nextBlock != null
          && (nextBlock == KeyValueScanner.NO_NEXT_INDEXED_KEY
              || comparator.compare(nextBlock, key) >= 0);
    }

    @Override
    public void skipRow(Cell cell) throws IOException {
      skipTo(PrivateCellUtil.createLastOnRow(cell));
    }
  }

  /** Rows in descending order, the cells of each row in the usual one. */
  final class Reversed extends ReversedKeyValueHeap implements Level1Heap {
    Reversed(List<FileScanner> soughtScanners, CellComparator comparator) throws IOException {
      super(soughtScanners, comparator);
    }

    @Override
    public @Nullable ExtendedCell peek() {
      return (ExtendedCell) super.peek();
    }

    @Override
    public int currentFile() {
      return (int) current.getScannerOrder();
    }

    @Override
    public void recordBlock(IntConsumer blockSizeConsumer) {
      if (current != null) {
        ((FileScanner) current).recordBlock(blockSizeConsumer);
      }
    }

    @Override
    public void skipTo(Cell key) throws IOException {
      // One step in any case: a filter's hint may lie in a row that the scan has passed.
      int steps = 0;
      do {
        next();
        if (!isBefore(peek(), key)) {
          return;
        }
      } while (++steps < STEPS_BEFORE_SEEK);
      backwardSeek(key);
    }

    private boolean isBefore(@Nullable Cell cell, Cell key) {
      return cell != null
          && CellUtil.matchingRows(cell, key)
          && PrivateCellUtil.compareKeyIgnoresMvcc(comparator(), cell, key) < 0;
    }

    private CellComparator comparator() {
      return comparator.getComparator();
    }

    @Override
    public void skipRow(Cell cell) throws IOException {
      seekToPreviousRow(PrivateCellUtil.createFirstOnRow(cell));
    }
  }
}
