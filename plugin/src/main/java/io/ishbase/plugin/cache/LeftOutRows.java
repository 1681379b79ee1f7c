package io.ishbase.plugin.cache;

import io.ishbase.plugin.hbase.FilteredRows;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.scan.LocalFilter;
import io.ishbase.plugin.scan.ReadSpec;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which cached rows a scan need not be shown: nothing of them passes its filter. A row is
 * left out as a whole or not at all, so HBase judges each cell that it is shown as always, and
 * decides about rows of which this is not sure.
 *
 * <p>A put that fails the filter still counts as a version, and a delete marker hides puts,
 * wherever they lie. So a row is left out if one of these holds:
 *
 * <ol>
 *   <li>The filter goes by column, includes none of the row's puts, and there is no marker: in such
 *       a column nothing passes, wherever it lies.
 *   <li>The filter goes by the cell, includes none of the row's puts, seen or hidden, and the row
 *       is <em>sole</em>: the memstore has nothing of it that the scan may see. Then all that could
 *       be returned is here.
 *   <li>The filter goes by the row, the row is sole, and so simple that HBase's matcher shows all
 *       of it to the filter: one put in each column, none that has expired or is out of the time
 *       range, no marker, no tag. Then it is asked as HBase asks it.
 * </ol>
 *
 * <p>What the memstore has is known from its scanners, which stand in the same heap. What they have
 * left lies at or behind what they show, and what they had before was dealt with. A flush replaces
 * them by others, which are not known here: so who is told by them asks behind that whether a
 * change has begun. If they showed nothing at first, then nothing comes that the scan may see: of a
 * flush whose files it has it is not told, and secondary replicas leave no rows out.
 *
 * <p>Behind {@value #MOST} rows that are left out one is shown whatever it holds: HBase looks at
 * its limits of time, and whether its client is still there, when it sees cells.
 *
 * <p>For use by the thread that has the scanner.
 */
public final class LeftOutRows {
  private static final Logger LOG = LoggerFactory.getLogger(LeftOutRows.class);

  /** Rows in a row. */
  static final int MOST = 64;

  private final LocalFilter local;
  private final byte @Nullable [][] columns;
  private final TimeRange times;
  private final boolean countsRows;
  private final CellComparator comparator;
  private final BooleanSupplier unchanged;

  /** Those that had a cell for the scan when it began. */
  private final List<KeyValueScanner> memstores;

  /** In the state in which the rows so far left it; null: none was judged. */
  private @Nullable Filter filter;

  private boolean failed;

  /** Whether the filter has said of the present row where to go on. */
  private boolean hinted;

  private long oldestUnexpired = Long.MAX_VALUE;

  /** Rows that were left out since one was shown. */
  private int count;

  /** The column of {@link #columns} that the last cell is of, or that it is before. */
  private int column;

  /**
   * @param others the scanners beside that of the cache, before any of them was moved
   * @param unchanged whether no change of the store's files was under way when the scan chose them,
   *     and none has begun since
   */
  public LeftOutRows(
      LocalFilter local,
      ReadSpec read,
      List<? extends KeyValueScanner> others,
      CellComparator comparator,
      BooleanSupplier unchanged) {
    this.local = local;
    NavigableSet<byte[]> named = read.columns();
    this.columns = named == null ? null : named.toArray(byte[][]::new);
    this.times = read.times();
    this.countsRows = FilteredRows.areCounted(read.scan());
    this.comparator = comparator;
    this.unchanged = unchanged;
    this.memstores =
        others.stream()
            .filter(other -> !other.isFileScanner() && other.peek() != null)
            .map(KeyValueScanner.class::cast)
            .toList();
  }

  /**
   * Takes note of how old a cell may be.
   *
   * @param timestamp those before it are expired
   */
  void setOldestUnexpired(long timestamp) {
    oldestUnexpired = timestamp;
  }

  /** Rows may come again, or from further back. */
  void restart() {
    filter = null;
  }

  /**
   * Whether a row, the next one that is cached, is left out.
   *
   * @param row all cells that the store's files have of it
   * @throws IllegalStateException if there is something in it that is no cell
   */
  boolean leavesOut(RowCells row) {
    boolean leavesOut = count < MOST && !failed && judge(row);
    if (leavesOut) {
      count++;
    } else {
      told();
    }
    return leavesOut;
  }

  /** Counts what was left out so far. */
  void told() {
    if (count > 0) {
      InStorageMetrics.get().leftOutCachedRows(count);
      count = 0;
    }
  }

  private boolean judge(RowCells row) {
    ExtendedCell first = row.next();
    if (first == null) {
      return false;
    }
    try {
      if (filter == null) {
        filter = local.fresh();
      }
      Filter by = filter;
      boolean excludes = begin(by, first);
      if (by.filterAllRemaining()) {
        // HBase ends the scan when it sees the row.
        return false;
      }
      column = 0;
      hinted = false;
      boolean leavesOut =
          switch (local.scope()) {
            case BY_COLUMN -> excludes || noneIncluded(by, first, row, false);
            case BY_VERSION -> noneIncluded(by, first, row, true) && isSole(first);
            case BY_ROW -> isDropped(by, first, row) && isSole(first);
          };
      if (leavesOut && !hinted && countsRows && !isNextInMemstore(first)) {
        // Else HBase sees the row, and counts it itself, or passes it over.
        FilteredRows.add(1);
      }
      return leavesOut;
    } catch (IOException e) {
      // HBase asks it again, and deals with what comes of that.
      failed = true;
      LOG.debug("A filter of the scope {} fails", local.scope(), e);
      return false;
    }
  }

  /**
   * Whether the filter includes no put of the columns asked for.
   *
   * @param ignoresMarkers whether it does not matter if there is a marker
   */
  private boolean noneIncluded(Filter by, ExtendedCell first, RowCells rest, boolean ignoresMarkers)
      throws IOException {
    for (ExtendedCell cell = first; cell != null; cell = rest.next()) {
      if (PrivateCellUtil.isDelete(cell.getTypeByte())) {
        if (!ignoresMarkers) {
          return false;
        }
      } else if (isAskedFor(cell) && includes(ask(by, cell))) {
        return false;
      }
    }
    return true;
  }

  /** Whether the filter, which is shown all that is asked for, drops the row. */
  private boolean isDropped(Filter by, ExtendedCell first, RowCells rest) throws IOException {
    boolean includesSome = false;
    boolean isDone = false;
    Cell before = null;
    for (ExtendedCell cell = first; cell != null; cell = rest.next()) {
      if (PrivateCellUtil.isDelete(cell.getTypeByte())
          || cell.getTagsLength() > 0
          // In a named column HBase takes such a put for one that it has seen.
          || columns != null && cell.getTimestamp() == Long.MAX_VALUE
          || cell.getTimestamp() < oldestUnexpired
          || !times.withinTimeRange(cell.getTimestamp())
          || before != null && CellUtil.matchingQualifier(before, cell)) {
        return false;
      }
      before = cell;
      if (isDone || !isAskedFor(cell)) {
        continue;
      }
      Filter.ReturnCode code = ask(by, cell);
      if (code == Filter.ReturnCode.SEEK_NEXT_USING_HINT) {
        return false;
      }
      includesSome |= includes(code);
      isDone =
          code == Filter.ReturnCode.NEXT_ROW || code == Filter.ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
    }
    return !includesSome || dropsRow(by);
  }

  // Whatever a filter throws is the filter's.

  private static boolean begin(Filter by, Cell first) throws IOException {
    try {
      by.reset();
      return by.filterRowKey(first);
    } catch (RuntimeException | StackOverflowError e) {
      throw new IOException(e);
    }
  }

  private Filter.ReturnCode ask(Filter by, Cell cell) throws IOException {
    try {
      Filter.ReturnCode code = by.filterCell(cell);
      hinted |= code == Filter.ReturnCode.SEEK_NEXT_USING_HINT;
      return code;
    } catch (RuntimeException | StackOverflowError e) {
      throw new IOException(e);
    }
  }

  private static boolean dropsRow(Filter by) throws IOException {
    try {
      return by.filterRow();
    } catch (RuntimeException | StackOverflowError e) {
      throw new IOException(e);
    }
  }

  /** Cells come in the order of their columns. */
  private boolean isAskedFor(Cell cell) {
    if (columns == null) {
      return true;
    }
    while (column < columns.length) {
      byte[] next = columns[column];
      int order = CellUtil.compareQualifiers(cell, next, 0, next.length);
      if (order <= 0) {
        return order == 0;
      }
      column++;
    }
    return false;
  }

  private boolean isNextInMemstore(Cell row) {
    for (KeyValueScanner memstore : memstores) {
      Cell next = memstore.peek();
      if (next != null && comparator.compareRows(next, row) == 0) {
        return true;
      }
    }
    return false;
  }

  private boolean isSole(Cell row) {
    for (KeyValueScanner memstore : memstores) {
      Cell next = memstore.peek();
      if (next != null && comparator.compareRows(next, row) <= 0) {
        return false;
      }
    }
    return memstores.isEmpty() || unchanged.getAsBoolean();
  }

  private static boolean includes(Filter.ReturnCode code) {
    return switch (code) {
      case INCLUDE, INCLUDE_AND_NEXT_COL, INCLUDE_AND_SEEK_NEXT_ROW -> true;
      default -> false;
    };
  }
}
