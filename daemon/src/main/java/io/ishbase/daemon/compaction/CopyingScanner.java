package io.ishbase.daemon.compaction;

import io.ishbase.daemon.compaction.CopySource.Run;
import io.ishbase.daemon.compaction.DataBlockReader.OpenBlock;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex.Entry;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.jspecify.annotations.Nullable;

/**
 * HBase's merge of a compaction, which copies what it need not merge. Between two rows it looks
 * whether the file whose turn it is has blocks before the next row of every other file. It hands
 * those, one after the other, to the new file, as long as all of their cells stay, and then has the
 * merge go on behind them.
 *
 * <p>Why the new file has the cells that HBase's has:
 *
 * <ul>
 *   <li>Order: all that was merged before has been appended when {@code next} is called again; the
 *       copied cells are before every cell that the merge still has.
 *   <li>What decides over a cell are the cells of its row. A run begins with a row that the merge
 *       has not seen, and no other file has one of its rows. So only the run's own file decides,
 *       and {@link StayingCells} says that it takes nothing away.
 *   <li>A row in which the run ends is merged from the first version of its last column on: markers
 *       there were none, and versions are counted within a column. What was copied of that column
 *       comes out of the merge again, as it stays, and is left out.
 * </ul>
 *
 * <p>Relies on HBase 2.6: {@code StoreScanner.next} takes cells of one row only, and {@code
 * Compactor.performCompaction} appends what one call gave before the next.
 */
final class CopyingScanner extends CompactionScanner {
  /** How often in the length of a block it looks for blocks to copy; less often in vain. */
  private static final int LOOKS_IN_BLOCK = 4;

  private static final int MOST_BLOCKS_LEFT = 64;

  private final List<StoreFileScanner> scanners;
  private final CellComparator comparator;
  private @Nullable CopyTarget target;
  private @Nullable Run run;
  // Of the last row that was merged or copied.
  private @Nullable Cell merged;
  private @Nullable Cell copiedUpTo;
  private long cellsUntilLook;
  private int looksInBlock = LOOKS_IN_BLOCK;
  private int blocksLeft = 1;

  /** As HBase's, of the scanners of a compaction. */
  CopyingScanner(
      HStore store,
      ScanInfo family,
      List<StoreFileScanner> scanners,
      ScanType type,
      long readPoint,
      long earliestPut)
      throws IOException {
    super(store, family, scanners, type, readPoint, earliestPut);
    this.scanners = List.copyOf(scanners);
    this.comparator = family.getComparator();
  }

  List<StoreFileScanner> scanners() {
    return scanners;
  }

  /** From now on blocks are copied there; null: nowhere. */
  void copyInto(@Nullable CopyTarget newTarget) {
    target = newTarget;
  }

  @Override
  public boolean next(List<Cell> cells, ScannerContext context) throws IOException {
    if (target != null) {
      while (copy(target)) {
        // Behind the blocks of one file may be those of another.
      }
    }
    merged = peek();
    boolean more = super.next(cells, context);
    cellsUntilLook -= Math.max(1, cells.size());
    if (copiedUpTo != null) {
      leaveOutCopied(cells, copiedUpTo);
    }
    return more;
  }

  private void leaveOutCopied(List<Cell> cells, Cell upTo) {
    cells.removeIf(cell -> comparator.compare(cell, upTo) <= 0);
    if (!cells.isEmpty()) {
      copiedUpTo = null;
    }
  }

  /** Copies blocks if that is possible here and now. */
  private boolean copy(CopyTarget to) throws IOException {
    if (run == null && cellsUntilLook > 0) {
      return false;
    }
    Cell top = peek();
    if (top == null) {
      return false;
    }
    if (run == null) {
      run = findRun(to, top);
      looksInBlock = run == null ? Math.max(1, looksInBlock / 2) : LOOKS_IN_BLOCK;
      cellsUntilLook = to.cellsInBlock() / looksInBlock;
    }
    if (run == null || !run.isReached(top)) {
      return false;
    }
    Run begun = run;
    run = null;
    return !isWithinRow(top) && copy(to, begun, top);
  }

  private boolean isWithinRow(Cell top) {
    return merged != null && CellUtil.matchingRows(merged, top);
  }

  private @Nullable Run findRun(CopyTarget to, Cell top) throws IOException {
    StoreFileScanner first = null;
    Cell limit = null;
    for (StoreFileScanner scanner : scanners) {
      Cell cell = scanner.peek();
      if (cell == top) {
        first = scanner;
      } else if (cell != null && (limit == null || comparator.compareRows(cell, limit) < 0)) {
        limit = cell;
      }
    }
    CopySource source = first == null ? null : to.source(first);
    return source == null ? null : source.runFrom(top, limit);
  }

  private boolean copy(CopyTarget to, Run blocks, Cell top) throws IOException {
    StayingCells staying = to.stayingCells();
    Cell last = null;
    Cell next = null;
    int copied = 0;
    Entry place = blocks.first();
    while (place != null && blocks.holds(place)) {
      OpenBlock block = blocks.source().blocks().read(place);
      boolean standsThere = copied > 0 || comparator.compare(block.first(), top) == 0;
      if (!standsThere || !to.takes(block) || !staying.allStay(block.cells())) {
        break;
      }
      to.copy(block);
      copied++;
      last = block.last();
      next = place.nextKey();
      place = blocks.after(place);
    }
    boolean runEnded = place == null || !blocks.holds(place);
    blocksLeft = copied >= CopySource.LEAST_BLOCKS ? 1 : Math.min(2 * blocksLeft, MOST_BLOCKS_LEFT);
    cellsUntilLook = runEnded ? 0 : to.cellsInBlock() * blocksLeft;
    if (last == null) {
      return false;
    }
    goOn(last, next);
    return runEnded;
  }

  /**
   * Has the merge go on behind a cell.
   *
   * @param next above it, and not above the next cell of its file; null if there is none
   */
  private void goOn(Cell copied, @Nullable Cell next) throws IOException {
    merged = copied;
    if (next == null) {
      reseek(PrivateCellUtil.createLastOnRow(copied));
    } else if (CellUtil.matchingRows(next, copied)) {
      copiedUpTo = copied;
      reseek(PrivateCellUtil.createFirstOnRowCol(copied));
    } else {
      reseek(next);
    }
  }

  @Override
  public void shipped() throws IOException {
    if (merged != null) {
      merged = KeyValueUtil.toNewKeyCell(merged);
    }
    super.shipped();
  }
}
