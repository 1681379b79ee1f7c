package io.ishbase.daemon;

import static java.util.Objects.requireNonNull;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.BitSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.jspecify.annotations.Nullable;

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
 *       so are puts whose timestamp a newer put has, and the rest of a column once the filter has
 *       included as many of its puts as the read returns. A column that has a delete marker, a tag
 *       (which may hide a cell in ways unknown here) or a type of cell that clients do not write,
 *       and a row that has a family marker, is sent whole.
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

  /** A row or column of more bytes is sent whole, whatever its filter says. */
  private static final int MAX_HELD_BYTES = 1 << 20;

  private final CellBatch.Encoder cells;
  private final LargeCells.Share largeCells;
  private final byte @Nullable [][] columns;
  private final long minTimestamp;
  private final long maxTimestamp;
  private final long oldestUnexpired;
  private final boolean withoutValues;
  private final int trimVersions;
  private final int trimColumns;
  private final boolean trimsBehindColumns;
  private final @Nullable GuardedFilter filter;
  private final FilterScope scope;
  private final int familyVersions;
  private final int maxVersions;
  private final int maxBytes;

  private byte @Nullable [] row;
  private boolean rowIsWhole;

  /** Whether something in it may hide cells. */
  private boolean rowIsOdd;

  /** Rows that were looked at from their beginning and of which nothing is sent. */
  private final CountsByCell filteredRows = new CountsByCell();

  private int rowStart;
  private @Nullable Position rowPosition;
  private int rowPuts;
  private int rowColumns;
  private boolean rowIncludes;
  private boolean rowFilterIsDone;

  /** HBase's matcher asks nothing before it; null: it asks. */
  private @Nullable Cell rowHint;

  private byte @Nullable [] column;
  private boolean columnIsWhole;
  private boolean columnIsOdd;
  private int columnStart;
  private int columnPuts;
  private int columnVersions;
  private int columnIncluded;
  private long columnTimestamp;
  private boolean columnFilterIsDone;
  private final BitSet out = new BitSet();

  private @Nullable Cell seekKey;

  /**
   * A selector for {@code request} that adds to {@code cells}.
   *
   * @param columns ascending qualifiers asked for; null: all
   * @param filter the request's filter; null if it has none
   * @param maxBytes of the answer: the cell that reaches it is the last
   */
  CellSelector(
      ReadRequest request,
      byte @Nullable [][] columns,
      @Nullable GuardedFilter filter,
      CellBatch.Encoder cells,
      LargeCells.Share largeCells,
      int maxBytes) {
    this.largeCells = largeCells;
    this.cells = cells;
    this.columns = columns;
    this.minTimestamp = request.hasMinTimestamp() ? request.getMinTimestamp() : Long.MIN_VALUE;
    this.maxTimestamp = request.hasMaxTimestamp() ? request.getMaxTimestamp() : Long.MAX_VALUE;
    this.oldestUnexpired =
        request.hasOldestUnexpired() ? request.getOldestUnexpired() : Long.MIN_VALUE;
    this.withoutValues = request.getNoValues();
    this.trimVersions = request.hasTrimVersions() ? request.getTrimVersions() : Integer.MAX_VALUE;
    this.trimColumns = request.hasTrimColumns() ? request.getTrimColumns() : Integer.MAX_VALUE;
    this.trimsBehindColumns = request.getTrimBehindColumns();
    this.filter = filter;
    this.scope = request.getFilterScope();
    this.familyVersions = Math.max(1, request.getFamilyVersions());
    this.maxVersions = request.hasMaxVersions() ? request.getMaxVersions() : Integer.MAX_VALUE;
    this.maxBytes = maxBytes;
  }

  /** Whether {@code cell} belongs to another row than the cell before. */
  boolean isNewRow(Cell cell) {
    return row == null || !CellUtil.matchingRows(cell, row);
  }

  /**
   * Begins the row of {@code cell}. Of a row at which the filter ends the scan the cell is sent,
   * without its value, which nobody will see: the region server's own instance ends the scan when
   * it sees the row, and would go on in the next region otherwise.
   *
   * @param fromStart whether that is the row's first cell
   */
  Step startRow(ExtendedCell cell, int file, boolean fromStart) throws IOException {
    row = CellUtil.cloneRow(cell);
    column = null;
    rowIsWhole = !fromStart;
    rowIsOdd = false;
    rowStart = cells.count();
    rowPuts = 0;
    rowColumns = 0;
    rowIncludes = false;
    rowFilterIsDone = false;
    rowHint = null;
    if (filter == null) {
      return Step.NEXT;
    }
    if (scope != FilterScope.BY_COLUMN) {
      // The block of a row's first cell is counted ahead of it.
      rowPosition = Positions.atCell(cell, file).toBuilder().addCountedFile(file).build();
    }
    boolean excludes = false;
    if (!filter.filterAllRemaining()) {
      filter.reset();
      excludes = filter.filterRowKey(cell);
    }
    if (filter.filterAllRemaining()) {
      check(cell, file);
      cells.addWithoutValue(file, cell);
      row = null;
      return Step.END;
    }
    return excludes && scope == FilterScope.BY_COLUMN ? Step.NEXT_ROW : Step.NEXT;
  }

  /**
   * Whether what was added has the size that was asked for. What is not judged yet may go out again
   * and does not count.
   */
  boolean isFull() {
    int held = isJudging() ? cells.size() - cells.start(judgedFrom()) : 0;
    return cells.size() - held >= maxBytes || held > MAX_HELD_BYTES;
  }

  /** Whether cells that were added may go out again, or others were left out because of them. */
  boolean isJudging() {
    return row != null && filter != null && scope != FilterScope.BY_COLUMN && !rowIsWhole;
  }

  private int judgedFrom() {
    return column == null ? cells.count() : scope == FilterScope.BY_ROW ? rowStart : columnStart;
  }

  /**
   * Ends the answer before {@code cell}, the current one, with one cell at least. What was judged
   * by its row or column must not go on in another answer, which would not know what this one left
   * out: the row goes back as a whole, or else what was left out of its last column comes in again.
   *
   * @return where the rest begins
   */
  Position end(ExtendedCell cell, int file) throws IOException {
    if (isJudging() && rowStart > 0) {
      cells.truncate(rowStart);
      return finish(requireNonNull(rowPosition, "known where a row is judged"));
    }
    Position overfull = overfull();
    if (overfull != null) {
      return finish(overfull);
    }
    if (cells.count() > 0) {
      return finish(behind(cells.count(), cell, file));
    }
    // Nothing that is asked for was found in the time of an answer. Any real cell may be sent: the
    // region server discards it, and looks at its own limits.
    encode(cell, file);
    return finish(Positions.afterCell(cell, file));
  }

  /** Where the rest begins if more was added than was asked for; else null. */
  @Nullable Position overfull() throws IOException {
    int last = cells.count();
    while (last > 0 && cells.start(last - 1) >= maxBytes) {
      last--;
    }
    return last == cells.count() ? null : cut(last);
  }

  /**
   * Ends the answer behind {@code last} cells, of more.
   *
   * @return where the rest begins
   */
  Position cut(int last) throws IOException {
    CellBatch.Decoder rest = cells.decoder(last);
    KeyValue next = rest.next();
    // The block of a cell that was added is counted ahead of it.
    Position position =
        behind(last, next, rest.file()).toBuilder().addCountedFile(rest.file()).build();
    cells.truncate(last);
    return position;
  }

  /**
   * Where the rest begins behind {@code count} cells. No place is between cells that are equal in
   * all: those that follow one are passed over, as HBase's matcher does. It would come to the same
   * of them in each answer.
   *
   * @param next the cell that follows
   */
  private Position behind(int count, ExtendedCell next, int file) throws IOException {
    if (count > 0) {
      CellBatch.Decoder decoder = cells.decoder(count - 1);
      KeyValue last = decoder.next();
      if (decoder.file() == file
          && last.getSequenceId() == next.getSequenceId()
          && compare(last, next) == 0) {
        return Positions.afterCell(next, file);
      }
    }
    return Positions.atCell(next, file);
  }

  private Position finish(Position next) {
    row = null;
    out.clear();
    return next;
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
    if (columns == null || isFamilyMarker) {
      return addWanted(cell, file, isFamilyMarker, maySeek);
    }
    int index = find(cell, columns);
    if (index < 0) {
      return maySeek || ~index == columns.length
          ? toColumn(cell, columns, ~index, maySeek)
          : Step.NEXT;
    }
    Step step = addWanted(cell, file, false, maySeek);
    return index == columns.length - 1 && maySeek ? afterLastColumn(step) : step;
  }

  /**
   * HBase seeks the next row from the cell that settles the last column that is asked for. So the
   * next cell, which may lie in another block, is not looked at here either: the row ends there,
   * with a gap where more of the column may be wanted after all.
   */
  private Step afterLastColumn(Step step) {
    if (step == Step.NEXT_COLUMN) {
      return Step.NEXT_ROW;
    }
    if (step != Step.NEXT || columnIsOdd) {
      return step;
    }
    if (filter != null && scope != FilterScope.BY_COLUMN && !columnIsWhole) {
      return columnVersions >= familyVersions ? Step.NEXT_ROW : step;
    }
    boolean trims =
        filter == null || scope == FilterScope.BY_COLUMN
            ? trimsBehindColumns && columnPuts >= trimVersions
            : columnPuts >= familyVersions;
    return trims ? gap(Gap.COLUMN, Step.NEXT_ROW) : step;
  }

  private Step addWanted(ExtendedCell cell, int file, boolean isFamilyMarker, boolean maySeek)
      throws IOException {
    long timestamp = cell.getTimestamp();
    if (column == null || !CellUtil.matchingQualifier(cell, column)) {
      startColumn(cell);
    }
    if (PrivateCellUtil.isDelete(cell.getTypeByte())) {
      keepWhole(isFamilyMarker);
      check(cell, file);
      cells.add(file, cell);
      return Step.NEXT;
    }
    // Where there is neither begin nor end, a put of the last timestamp that there is counts, too.
    if (timestamp >= maxTimestamp && (maxTimestamp < Long.MAX_VALUE || minTimestamp > 0)) {
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
    // HBase takes a put of the last timestamp that there is, in a named column, for one that it has
    // seen.
    boolean isPassedOver = columns != null && timestamp == Long.MAX_VALUE;
    if (filter == null || isPassedOver && scope != FilterScope.BY_COLUMN) {
      return send(cell, file, Step.NEXT);
    }
    return switch (scope) {
      case BY_COLUMN -> filteredByColumn(filter, cell, file, maySeek);
      case BY_VERSION -> filteredByVersion(filter, cell, file, maySeek);
      case BY_ROW -> filteredByRow(filter, cell, file);
    };
  }

  /**
   * Settles what was added: to be called after a row's last cell and at the end of a range.
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
        && (!rowIncludes || filter.filterRow())) {
      cells.truncate(rowStart);
      rowPuts = 0;
    }
    if (!rowIsWhole && cells.count() == rowStart) {
      filteredRows.add(1, rowStart);
    }
    row = null;
    return rowPuts > 0;
  }

  CountsByCell filteredRows() {
    return filteredRows;
  }

  /** Where to go on after {@link Step#SEEK}. */
  Cell seekKey() {
    return requireNonNull(seekKey, "set with Step.SEEK");
  }

  private void startColumn(Cell cell) {
    finishColumn();
    column = CellUtil.cloneQualifier(cell);
    columnIsWhole = rowIsWhole;
    columnIsOdd = rowIsOdd;
    columnStart = cells.count();
    columnPuts = 0;
    columnVersions = 0;
    columnIncluded = 0;
    columnFilterIsDone = false;
  }

  private void finishColumn() {
    if (!out.isEmpty()) {
      // If the answer is to end within the column, nothing of it may be missing: see end.
      if (!columnIsWhole && fitsWithout()) {
        cells.removeIf(columnStart, out::get);
      }
      out.clear();
    }
  }

  /** Whether the last cell of the column that stays begins within the size asked for. */
  private boolean fitsWithout() {
    int kept = cells.start(columnStart);
    int lastKept = 0;
    for (int cell = columnStart; cell < cells.count(); cell++) {
      if (!out.get(cell)) {
        lastKept = kept;
        kept += cells.start(cell + 1) - cells.start(cell);
      }
    }
    return lastKept < maxBytes;
  }

  /** Something may hide cells in the row or in the column: its cells are not judged here. */
  private void keepWhole(boolean row) {
    columnIsWhole = true;
    columnIsOdd = true;
    rowIsWhole |= row || scope == FilterScope.BY_ROW;
    rowIsOdd |= row;
  }

  private Step send(ExtendedCell cell, int file, Step step) throws FileFault {
    encode(cell, file);
    if (columnPuts++ == 0) {
      rowColumns++;
    }
    rowPuts++;
    return step;
  }

  private static void check(ExtendedCell cell, int file) throws FileFault {
    if (!Positions.isSound(cell)) {
      String why =
          "A cell of type "
              + cell.getTypeByte()
              + " and time "
              + cell.getTimestamp()
              + ", which HBase does not know";
      throw new FileFault(file, new RequestException(Code.FAILED, why));
    }
  }

  private void encode(ExtendedCell cell, int file) throws FileFault {
    check(cell, file);
    if (withoutValues) {
      cells.addWithoutValue(file, cell);
    } else {
      largeCells.take(file, cell);
      cells.add(file, cell);
    }
  }

  private Step gap(Gap gap, Step step) {
    finishColumn();
    cells.markGap(gap);
    return step;
  }

  private Step filteredByColumn(GuardedFilter by, ExtendedCell cell, int file, boolean maySeek)
      throws IOException {
    switch (by.filterCell(cell)) {
      case INCLUDE, INCLUDE_AND_NEXT_COL, INCLUDE_AND_SEEK_NEXT_ROW -> {
        return send(cell, file, Step.NEXT);
      }
      case SEEK_NEXT_USING_HINT -> {
        seekKey = by.getNextCellHint(cell);
        // As HBase's StoreScanner does, hints that do not lead forward are ignored.
        boolean leadsOn = seekKey != null && compare(seekKey, cell) > 0;
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

  private Step filteredByVersion(GuardedFilter by, ExtendedCell cell, int file, boolean maySeek)
      throws IOException {
    if (!columnIsWhole && columnIncluded >= maxVersions) {
      return maySeek ? Step.NEXT_COLUMN : Step.NEXT;
    }
    if (isUnusual(cell)) {
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
      if (!columnFilterIsDone && includes(by, cell)) {
        columnIncluded++;
        return send(cell, file, Step.NEXT);
      }
      if (columnIsWhole) {
        return send(cell, file, Step.NEXT);
      }
    }
    // Added for the case that a marker or a tag comes later in the column.
    out.set(cells.count());
    encode(cell, file);
    return Step.NEXT;
  }

  private Step filteredByRow(GuardedFilter by, ExtendedCell cell, int file) throws IOException {
    if (isUnusual(cell)) {
      keepWhole(true);
    }
    boolean isSameVersion = columnVersions > 0 && cell.getTimestamp() == columnTimestamp;
    if (!rowIsWhole && !isSameVersion && ++columnVersions <= familyVersions) {
      columnTimestamp = cell.getTimestamp();
      if (rowHint != null && compare(cell, rowHint) >= 0) {
        rowHint = null;
      }
      if (rowHint == null && !rowFilterIsDone && !columnFilterIsDone && includes(by, cell)) {
        rowIncludes = true;
        // The matcher asks the filter of one version more than it returns, and goes on asking in a
        // column that it cannot seek past.
        if (++columnIncluded > maxVersions) {
          columnFilterIsDone = true;
          if (cell.getQualifierLength() == 0) {
            keepWhole(true);
          }
        }
      }
    }
    return send(cell, file, Step.NEXT);
  }

  /** Whether more decides about it than its key: a tag, or a type that makes it a version apart. */
  private static boolean isUnusual(ExtendedCell cell) {
    return cell.getTagsLength() > 0 || cell.getTypeByte() != KeyValue.Type.Put.getCode();
  }

  private boolean includes(GuardedFilter by, Cell cell) throws IOException {
    ReturnCode code = by.filterCell(cell);
    switch (code) {
      case INCLUDE_AND_NEXT_COL, NEXT_COL -> columnFilterIsDone = true;
      case INCLUDE_AND_SEEK_NEXT_ROW, NEXT_ROW -> rowFilterIsDone = true;
      case SEEK_NEXT_USING_HINT -> followHint(by, cell);
      default -> {}
    }
    return code == ReturnCode.INCLUDE
        || code == ReturnCode.INCLUDE_AND_NEXT_COL
        || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }

  // Versions that the matcher seeks past it does not count. It ignores hints that do not lead on.
  private void followHint(GuardedFilter by, Cell cell) throws IOException {
    Cell hint = by.getNextCellHint(cell);
    if (hint == null || compare(hint, cell) <= 0) {
      return;
    }
    if (compare(hint, PrivateCellUtil.createLastOnRowCol(cell)) >= 0) {
      // The block that its row lies in may be given back before the row ends.
      rowHint = KeyValueUtil.copyToNewKeyValue(hint);
      columnFilterIsDone = true;
    } else {
      keepWhole(false);
    }
  }

  private static int compare(Cell left, Cell right) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(ReadService.COMPARATOR, left, right);
  }

  /** The index of the cell's qualifier among those asked for, or the complement of the next one. */
  private static int find(Cell cell, byte[][] sorted) {
    int low = 0;
    int high = sorted.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      byte[] candidate = sorted[middle];
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

  private Step toColumn(Cell cell, byte[][] sorted, int index, boolean maySeek) {
    if (index == sorted.length) {
      return maySeek ? Step.NEXT_ROW : Step.NEXT;
    }
    seekKey = PrivateCellUtil.createFirstOnRowCol(cell, sorted[index], 0, sorted[index].length);
    return Step.SEEK;
  }
}
