package io.ishbase.daemon;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.BitSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;

/**
 * Decides which cells of the merge are sent. Fed with the cells of one answer in order; for use by
 * one thread.
 *
 * <p>Two kinds of cells stay out. Those that HBase's matcher at the region server would certainly
 * discard, whatever other files and the memstore hold, are <em>left out</em>:
 *
 * <ul>
 *   <li><b>Expired cells</b> ({@code oldest_unexpired}). The matcher looks at a cell's age before
 *       all else, so an expired delete marker hides nothing and an expired put is not counted as a
 *       version.
 *   <li><b>Puts outside the time range.</b> The matcher looks at the time range of a put before it
 *       counts versions. Delete markers are sent whatever their time.
 *   <li><b>Columns not asked for.</b> A delete marker of a column acts only on that column; those
 *       of the family are sent.
 *   <li><b>What a filter of scope COLUMN does not include.</b> Its verdict is the same for all
 *       versions of the column in all sources, so leaving them out changes no count of versions.
 *       Delete markers of such a column are not needed either.
 *   <li><b>What a filter of scope VERSION does not include</b>, if the node has all cells of the
 *       row. HBase 2.6 counts versions before it asks the filter: a put that fails the filter still
 *       hides the ones beyond the family's maximum. So those are counted here and left out too, and
 *       so are puts whose timestamp a newer put has. A column that has a delete marker or a tag
 *       (which may hide a cell in ways unknown here), and a row that has a family marker, is sent
 *       whole.
 *   <li><b>Rows that a filter of scope ROW drops</b>, under the same conditions, for the whole row.
 * </ul>
 *
 * <p>Those that the reader is unlikely to ask for are <em>trimmed</em>: versions beyond the number
 * that a query returns, columns of a row behind the first few. They become gaps ({@link
 * CellBatch}), and no rule is needed to make that right.
 */
final class CellSelector {
  /** What to do after a cell was looked at. */
  enum Step {
    NEXT,
    /** The rest of the cell's column is not wanted. */
    NEXT_COLUMN,
    /** The rest of the cell's row is not wanted. */
    NEXT_ROW,
    /** {@link #seekKey()} is the next that may be wanted. */
    SEEK,
    /** No more rows are wanted. */
    END
  }

  /** A row of more bytes is sent whole, whatever its filter says. */
  private static final int MAX_HELD_ROW_BYTES = 1 << 20;

  private final CellBatch.Encoder cells;
  private final byte[][] columns;
  private final long minTimestamp;
  private final long maxTimestamp;
  private final long oldestUnexpired;
  private final boolean withoutValues;
  private final int trimVersions;
  private final int trimColumns;
  private final Filter filter;
  private final FilterScope scope;
  private final int familyVersions;

  private byte[] row;
  private boolean rowIsWhole;
  private int rowStart;
  private int rowStartBytes;
  private int rowPuts;
  private int rowColumns;
  private boolean rowIncludes;
  private boolean rowFilterIsDone;

  private byte[] column;
  private boolean columnIsWhole;
  private int columnStart;
  private int columnPuts;
  private int columnVersions;
  private long columnTimestamp;
  private boolean columnFilterIsDone;
  private final BitSet out = new BitSet();

  private Cell seekKey;

  /**
   * A selector for {@code request} that adds to {@code cells}.
   *
   * @param columns ascending qualifiers asked for; null: all
   * @param filter the request's filter; null if it has none
   */
  CellSelector(ReadRequest request, byte[][] columns, Filter filter, CellBatch.Encoder cells) {
    this.cells = cells;
    this.columns = columns;
    this.minTimestamp = request.hasMinTimestamp() ? request.getMinTimestamp() : Long.MIN_VALUE;
    this.maxTimestamp = request.hasMaxTimestamp() ? request.getMaxTimestamp() : Long.MAX_VALUE;
    this.oldestUnexpired =
        request.hasOldestUnexpired() ? request.getOldestUnexpired() : Long.MIN_VALUE;
    this.withoutValues = request.getNoValues();
    this.trimVersions = request.hasTrimVersions() ? request.getTrimVersions() : Integer.MAX_VALUE;
    this.trimColumns = request.hasTrimColumns() ? request.getTrimColumns() : Integer.MAX_VALUE;
    this.filter = filter;
    this.scope = request.getFilterScope();
    this.familyVersions = Math.max(1, request.getFamilyVersions());
  }

  /** Whether {@code cell} belongs to another row than the cell before. */
  boolean isNewRow(Cell cell) {
    return row == null || !CellUtil.matchingRows(cell, row);
  }

  /**
   * Begins the row of {@code cell}.
   *
   * @param fromStart whether that is the row's first cell
   */
  Step startRow(Cell cell, boolean fromStart) throws IOException {
    row = CellUtil.cloneRow(cell);
    column = null;
    rowIsWhole = !fromStart;
    rowStart = cells.count();
    rowStartBytes = cells.size();
    rowPuts = 0;
    rowColumns = 0;
    rowIncludes = false;
    rowFilterIsDone = false;
    if (filter == null) {
      return Step.NEXT;
    }
    try {
      if (filter.filterAllRemaining()) {
        return Step.END;
      }
      filter.reset();
      return filter.filterRowKey(cell) && scope == FilterScope.BY_COLUMN
          ? Step.NEXT_ROW
          : Step.NEXT;
    } catch (RuntimeException e) {
      throw broken(e);
    }
  }

  /**
   * Whether the answer may end before the current cell. What was judged by its row or column must
   * not go on in another answer, which would not know what this one left out.
   */
  boolean mayEnd() {
    return row == null
        || filter == null
        || scope == FilterScope.BY_COLUMN
        || (rowIsWhole && columnIsWhole);
  }

  /** Looks at a cell of the current row and adds it if it is to be sent. */
  Step add(ExtendedCell cell, int file) throws IOException {
    // Behind an empty qualifier there may be family markers: no seek leaves that column.
    boolean maySeek = cell.getQualifierLength() > 0;
    long timestamp = cell.getTimestamp();
    if (timestamp < oldestUnexpired) {
      return maySeek ? Step.NEXT_COLUMN : Step.NEXT;
    }
    boolean isFamilyMarker =
        PrivateCellUtil.isDeleteFamily(cell) || PrivateCellUtil.isDeleteFamilyVersion(cell);
    if (columns != null && !isFamilyMarker) {
      int index = find(cell);
      if (index < 0) {
        return maySeek || ~index == columns.length ? toColumn(cell, ~index, maySeek) : Step.NEXT;
      }
    }
    if (column == null || !CellUtil.matchingQualifier(cell, column)) {
      startColumn(cell);
    }
    if (PrivateCellUtil.isDelete(cell.getTypeByte())) {
      keepWhole(isFamilyMarker);
      cells.add(file, cell);
      return Step.NEXT;
    }
    if (timestamp >= maxTimestamp) {
      return Step.NEXT;
    }
    if (timestamp < minTimestamp) {
      return maySeek ? Step.NEXT_COLUMN : Step.NEXT;
    }
    if (columnPuts >= trimVersions) {
      return gap(Gap.COLUMN, maySeek ? Step.NEXT_COLUMN : Step.NEXT);
    }
    if (columnPuts == 0 && rowColumns >= trimColumns) {
      return gap(Gap.ROW, Step.NEXT_ROW);
    }
    if (filter == null) {
      return send(cell, file, Step.NEXT);
    }
    try {
      return switch (scope) {
        case BY_COLUMN -> filteredByColumn(cell, file, maySeek);
        case BY_VERSION -> filteredByVersion(cell, file, maySeek);
        case BY_ROW -> filteredByRow(cell, file);
      };
    } catch (RuntimeException e) {
      throw broken(e);
    }
  }

  /**
   * Settles what was added: to be called after a row's last cell and at the end of the answer.
   *
   * @return whether a put of the row is sent
   */
  boolean finishRow() throws IOException {
    if (row == null) {
      return false;
    }
    finishColumn();
    if (filter != null
        && scope == FilterScope.BY_ROW
        && !rowIsWhole
        && cells.count() > rowStart
        && (!rowIncludes || isFilteredRow())) {
      cells.removeIf(rowStart, cell -> true);
      rowPuts = 0;
    }
    row = null;
    return rowPuts > 0;
  }

  private boolean isFilteredRow() throws IOException {
    try {
      return filter.filterRow();
    } catch (RuntimeException e) {
      throw broken(e);
    }
  }

  /** Where to go on after {@link Step#SEEK}. */
  Cell seekKey() {
    return seekKey;
  }

  private void startColumn(Cell cell) {
    finishColumn();
    if (cells.size() - rowStartBytes > MAX_HELD_ROW_BYTES) {
      rowIsWhole = true;
    }
    column = CellUtil.cloneQualifier(cell);
    columnIsWhole = rowIsWhole;
    columnStart = cells.count();
    columnPuts = 0;
    columnVersions = 0;
    columnFilterIsDone = false;
  }

  private void finishColumn() {
    if (!out.isEmpty()) {
      if (!columnIsWhole) {
        cells.removeIf(columnStart, out::get);
      }
      out.clear();
    }
  }

  /** Something may hide cells in the row or in the column: its cells are not judged here. */
  private void keepWhole(boolean row) {
    columnIsWhole = true;
    rowIsWhole |= row || scope == FilterScope.BY_ROW;
  }

  private Step send(ExtendedCell cell, int file, Step step) {
    if (withoutValues) {
      cells.addWithoutValue(file, cell);
    } else {
      cells.add(file, cell);
    }
    if (columnPuts++ == 0) {
      rowColumns++;
    }
    rowPuts++;
    return step;
  }

  private Step gap(Gap gap, Step step) {
    finishColumn();
    cells.markGap(gap);
    return step;
  }

  private Step filteredByColumn(ExtendedCell cell, int file, boolean maySeek) throws IOException {
    switch (filter.filterCell(cell)) {
      case INCLUDE, INCLUDE_AND_NEXT_COL, INCLUDE_AND_SEEK_NEXT_ROW -> {
        return send(cell, file, Step.NEXT);
      }
      case SEEK_NEXT_USING_HINT -> {
        seekKey = filter.getNextCellHint(cell);
        // As HBase's StoreScanner does, hints that do not lead forward are ignored.
        boolean leadsOn =
            seekKey != null
                && PrivateCellUtil.compareKeyIgnoresMvcc(ReadService.COMPARATOR, seekKey, cell) > 0;
        return leadsOn && (maySeek || !CellUtil.matchingRows(seekKey, cell))
            ? Step.SEEK
            : Step.NEXT;
      }
      case NEXT_ROW -> {
        return maySeek ? Step.NEXT_ROW : Step.NEXT;
      }
      default -> {
        return maySeek ? Step.NEXT_COLUMN : Step.NEXT;
      }
    }
  }

  private Step filteredByVersion(ExtendedCell cell, int file, boolean maySeek) throws IOException {
    if (cell.getTagsLength() > 0) {
      keepWhole(false);
    }
    if (columnIsWhole) {
      return send(cell, file, Step.NEXT);
    }
    boolean isSameVersion = columnVersions > 0 && cell.getTimestamp() == columnTimestamp;
    if (!isSameVersion) {
      if (++columnVersions > familyVersions) {
        return maySeek ? Step.NEXT_COLUMN : Step.NEXT;
      }
      columnTimestamp = cell.getTimestamp();
      if (!columnFilterIsDone && includes(filter.filterCell(cell))) {
        return send(cell, file, Step.NEXT);
      }
    }
    // Added for the case that a marker or a tag comes later in the column.
    out.set(cells.count());
    cells.add(file, cell);
    return Step.NEXT;
  }

  private Step filteredByRow(ExtendedCell cell, int file) throws IOException {
    if (cell.getTagsLength() > 0) {
      keepWhole(true);
    }
    boolean isSameVersion = columnVersions > 0 && cell.getTimestamp() == columnTimestamp;
    if (!rowIsWhole && !isSameVersion && ++columnVersions <= familyVersions) {
      columnTimestamp = cell.getTimestamp();
      if (!rowFilterIsDone && !columnFilterIsDone) {
        rowIncludes |= includes(filter.filterCell(cell));
      }
    }
    return send(cell, file, Step.NEXT);
  }

  private boolean includes(ReturnCode code) {
    switch (code) {
      case INCLUDE_AND_NEXT_COL, NEXT_COL -> columnFilterIsDone = true;
      case INCLUDE_AND_SEEK_NEXT_ROW, NEXT_ROW -> rowFilterIsDone = true;
      default -> {}
    }
    return code == ReturnCode.INCLUDE
        || code == ReturnCode.INCLUDE_AND_NEXT_COL
        || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }

  /** The index of the cell's qualifier among those asked for, or the complement of the next one. */
  private int find(Cell cell) {
    int low = 0;
    int high = columns.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      byte[] candidate = columns[middle];
      int order = CellUtil.compareQualifiers(cell, candidate, 0, candidate.length);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return ~low;
  }

  private Step toColumn(Cell cell, int index, boolean maySeek) {
    if (index == columns.length) {
      return maySeek ? Step.NEXT_ROW : Step.NEXT;
    }
    seekKey = PrivateCellUtil.createFirstOnRowCol(cell, columns[index], 0, columns[index].length);
    return Step.SEEK;
  }

  private static RequestException broken(RuntimeException e) {
    return new RequestException(Code.FILTER, "The filter failed: " + e, e);
  }
}
