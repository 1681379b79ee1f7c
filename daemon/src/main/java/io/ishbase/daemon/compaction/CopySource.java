package io.ishbase.daemon.compaction;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex.Entry;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.jspecify.annotations.Nullable;

/** A file whose blocks may be copied, and its scanner in the compaction. */
final class CopySource {
  /**
   * Blocks that it takes to be worth it. Where a run begins, a block of the new file ends early; so
   * one in nine or so is smaller than HBase's, however often they are compacted.
   */
  static final int LEAST_BLOCKS = 8;

  private final StoreFileScanner scanner;
  private final CellComparator comparator;
  private final DataBlockIndex index;
  private final DataBlockReader blocks;
  private final Cell firstKey;
  private final Cell lastKey;
  private @Nullable Entry current;

  private CopySource(
      StoreFileScanner scanner,
      HFile.Reader reader,
      Configuration conf,
      CellComparator comparator,
      Cell firstKey,
      Cell lastKey) {
    this.scanner = scanner;
    this.comparator = comparator;
    this.index = DataBlockIndex.walking(reader);
    this.blocks = new DataBlockReader(reader, conf);
    this.firstKey = firstKey;
    this.lastKey = lastKey;
  }

  /** Of that file; null if it has no cells. */
  static @Nullable CopySource of(
      StoreFileScanner scanner,
      HFile.Reader reader,
      Configuration conf,
      CellComparator comparator) {
    Optional<Cell> first = reader.getFirstKey();
    Optional<Cell> last = reader.getLastKey();
    return first.isPresent() && last.isPresent()
        ? new CopySource(scanner, reader, conf, comparator, first.get(), last.get())
        : null;
  }

  StoreFileScanner scanner() {
    return scanner;
  }

  DataBlockReader blocks() {
    return blocks;
  }

  /**
   * Blocks one after the other whose rows are in no other file.
   *
   * @param start not above the first cell of the first block, and above all before it
   * @param limit the first cell of other files behind the start; null if there is none
   */
  record Run(CopySource source, Entry first, Cell start, @Nullable Cell limit) {
    /** Whether a cell of the source's scanner is at its start, or behind it. */
    boolean isReached(Cell cell) {
      return source.compare(cell, start) >= 0;
    }

    /** Whether all rows of a block of the source are before the limit. */
    boolean holds(Entry block) {
      return source.isBefore(block, limit);
    }

    /** The block behind that one; null if there is none. */
    @Nullable Entry after(Entry block) throws IOException {
      return source.after(block);
    }
  }

  /**
   * The run that begins where the scanner stands, if that is where the file begins, or with the
   * next block; null if it would be too short.
   *
   * @param top the scanner's cell
   * @param limit the first cell of other files; null if there is none
   */
  @Nullable Run runFrom(Cell top, @Nullable Cell limit) throws IOException {
    Cell start;
    if (compare(top, firstKey) == 0) {
      // Keys of an index have no sequence id, and are above all cells that have one.
      start = firstKey;
    } else {
      Entry here = holding(top);
      if (here == null || here.nextKey() == null) {
        return null;
      }
      start = here.nextKey();
    }
    if (limit != null && comparator.compareRows(start, limit) >= 0) {
      return null;
    }
    Entry first = index.find(start);
    if (first == null) {
      return null;
    }
    Entry block = first;
    for (int found = 1; block != null && isBefore(block, limit); found++) {
      if (found == LEAST_BLOCKS) {
        return new Run(this, first, start, limit);
      }
      block = after(block);
    }
    return null;
  }

  private @Nullable Entry holding(Cell cell) throws IOException {
    if (current == null || current.nextKey() == null || compare(cell, current.nextKey()) >= 0) {
      current = index.find(cell);
    }
    return current;
  }

  private boolean isBefore(Entry block, @Nullable Cell limit) {
    return limit == null
        || comparator.compareRows(block.nextKey() == null ? lastKey : block.nextKey(), limit) < 0;
  }

  private @Nullable Entry after(Entry block) throws IOException {
    return block.nextKey() == null ? null : index.find(block.nextKey());
  }

  private int compare(Cell a, Cell b) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, a, b);
  }
}
