package io.ishbase.plugin.scan;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * What the daemons may leave out for a read of one store. Why each is right is argued in the
 * daemon's {@code CellSelector}; here it is decided where it applies.
 *
 * <p>A raw scan shows what the matcher would hide, and with new version behaviour a cell that is
 * outside the time range or is filtered out may still hide another: for both only ranges and
 * columns are pushed down.
 */
final class Pushdown {
  private final Scan scan;
  private final ScanInfo family;
  private final @Nullable NavigableSet<byte[]> columns;
  private final boolean isOfSlice;
  private final @Nullable List<byte[]> singles;
  private final FilterPushdown filters;
  private final FilterPushdown.@Nullable Pushed filter;
  private final @Nullable ByteString filterMessage;
  private final boolean hidesCells;
  private final boolean needsAllCells;

  /**
   * @param columns the read's columns in the family; null: all
   * @param isSole whether the files of the request hold all that the reader can see of the store
   * @param mayFilter whether a filter may be pushed down at all
   * @param toCache the columns that are to be asked for in place of the filter's part that follows
   *     from columns, so that the answer is all there is of them; null: none
   */
  Pushdown(
      Scan scan,
      ScanInfo family,
      @Nullable NavigableSet<byte[]> columns,
      FilterPushdown filters,
      boolean isSole,
      boolean mayFilter,
      @Nullable Columns toCache) {
    this.scan = scan;
    this.family = family;
    this.columns = columns;
    this.filters = filters;
    this.hidesCells = !scan.isRaw() && !family.isNewVersionBehavior();
    this.needsAllCells = filters.needsAllCells(scan);
    FilterPushdown.Pushed part =
        mayFilter && scan.hasFilter() && FilterPushdown.mayLeaveOut(scan, family) && !needsAllCells
            ? filters.part(scan, maxScope(isSole))
            : null;
    Columns wanted =
        toCache != null
                && part != null
                && part.scope() == FilterScope.BY_COLUMN
                && !filters.removesValues(scan.getFilter())
            ? toCache
            : null;
    this.singles = wanted == null ? null : wanted.singles();
    Filter ofWanted = wanted == null || singles != null ? null : WantedColumns.filter(wanted);
    this.isOfSlice = ofWanted != null || singles != null && fits(singles);
    if (isOfSlice) {
      part = ofWanted == null ? null : new FilterPushdown.Pushed(ofWanted, FilterScope.BY_COLUMN);
    }
    ByteString message = part == null ? null : message(part.filter());
    this.filterMessage =
        message == null || message.size() > Protocol.MAX_PUSHED_BYTES ? null : message;
    this.filter = filterMessage == null ? null : part;
  }

  private static @Nullable ByteString message(Filter filter) {
    try {
      return UnsafeByteOperations.unsafeWrap(ProtobufUtil.toFilter(filter).toByteArray());
    } catch (IOException | RuntimeException e) {
      // A filter that came over the wire can go on over it; one that a coprocessor made need not.
      return null;
    }
  }

  // Versions that expire but for a minimum number are counted in ways that the daemon does not
  // follow. A limit on the cells of a row hides cells from a filter that judges the whole row, and
  // so do columns; too many of these are not asked for.
  private FilterScope maxScope(boolean isSole) {
    if (!isSole || family.getMinVersions() > 0) {
      return FilterScope.BY_COLUMN;
    }
    return scan.getFamilyMap().size() == 1
            && (columns == null || fits(columns))
            && scan.getMaxResultsPerColumnFamily() < 0
            && scan.getRowOffsetPerColumnFamily() <= 0
            && scan.getBatch() <= 0
        ? FilterScope.BY_ROW
        : FilterScope.BY_VERSION;
  }

  /**
   * Says in {@code request} what is to be left out.
   *
   * @param oldestUnexpired timestamp below which cells are expired
   */
  void addTo(ReadRequest.Builder request, long oldestUnexpired) {
    if (isOfSlice && singles != null) {
      singles.forEach(column -> request.addColumn(UnsafeByteOperations.unsafeWrap(column)));
    } else if (columns != null && pushes(columns)) {
      columns.forEach(column -> request.addColumn(UnsafeByteOperations.unsafeWrap(column)));
    }
    if (!hidesCells || needsAllCells) {
      return;
    }
    TimeRange ofFamily = scan.getColumnFamilyTimeRange().get(family.getFamily());
    TimeRange range = ofFamily == null ? scan.getTimeRange() : ofFamily;
    if (range.getMin() > 0) {
      request.setMinTimestamp(range.getMin());
    }
    if (range.getMax() < Long.MAX_VALUE) {
      request.setMaxTimestamp(range.getMax());
    }
    if (family.getMinVersions() == 0 && oldestUnexpired > 0) {
      request.setOldestUnexpired(oldestUnexpired);
    }
    if (filter != null) {
      request.setFilter(filterMessage).setFilterScope(filter.scope());
      if (filter.scope() != FilterScope.BY_COLUMN) {
        request
            .setFamilyVersions(family.getMaxVersions())
            .setMaxVersions(Math.min(scan.getMaxVersions(), family.getMaxVersions()));
      }
    }
    if (scan.hasFilter() && filters.removesValues(scan.getFilter())) {
      request.setNoValues(true);
    }
  }

  /** Says in {@code request} what is to become gaps. */
  void trim(ReadRequest.Builder request) {
    if (!hidesCells || (filter != null && filter.scope() != FilterScope.BY_COLUMN)) {
      return;
    }
    // Gaps are behind cells: one of them is sent at least, though a scan may ask for none.
    int versions = Math.max(1, Math.min(scan.getMaxVersions(), family.getMaxVersions()));
    // With columns to look for, the matcher knows at the last version that it was the last.
    // Without, and behind a filter that may refuse some, it must see one more.
    boolean seesLast =
        columns != null && (!scan.hasFilter() || family.getMaxVersions() <= scan.getMaxVersions());
    if (versions < Integer.MAX_VALUE - 1) {
      request.setTrimVersions(seesLast ? versions : versions + 1);
    }
    long rowColumns = Integer.MAX_VALUE;
    if (scan.getMaxResultsPerColumnFamily() >= 0) {
      rowColumns =
          Math.max(0L, scan.getRowOffsetPerColumnFamily()) + scan.getMaxResultsPerColumnFamily();
    }
    if (firstColumns() > 0) {
      rowColumns = Math.min(rowColumns, firstColumns());
    }
    if (rowColumns < Integer.MAX_VALUE - 1) {
      // Both kinds of limit are noticed at the first cell beyond them.
      request.setTrimColumns((int) rowColumns + 1);
    }
  }

  /**
   * The large objects that are to come with the references to them; null: none, for the reader
   * wants references, or drops cells by a filter that the daemon does not apply.
   *
   * @param encrypted whether they may be encrypted at rest
   */
  @Nullable MobWish mobWish(boolean encrypted) {
    boolean appliesFilter =
        !scan.hasFilter()
            || filters.kind(scan.getFilter()) == FilterPushdown.Kind.ROWS
            || filter != null
                && filter.scope() == FilterScope.BY_COLUMN
                && filters.isWhole(scan.getFilter(), filter);
    if (!appliesFilter || MobUtils.isRawMobScan(scan)) {
      return null;
    }
    MobWish.Builder wish = MobWish.newBuilder();
    int ofFamily = scan.isRaw() ? Integer.MAX_VALUE : family.getMaxVersions();
    int versions = Math.max(1, Math.min(scan.getMaxVersions(), ofFamily));
    if (versions > 1) {
      wish.setVersions(versions);
    }
    if (MobUtils.isCacheMobBlocks(scan)) {
      wish.setCacheBlocks(true);
    }
    if (encrypted) {
      wish.setEncrypted(true);
    }
    return wish.build();
  }

  /**
   * Says in words what is pushed down, and why not the rest.
   *
   * @param isSole as this was made with
   */
  void explain(boolean isSole, List<String> lines) {
    ReadRequest.Builder request =
        ReadRequest.newBuilder().setVersion(0).setDirectory("").setReadPoint(0);
    addTo(request, family.getTtl() == Long.MAX_VALUE ? 0 : 1);
    trim(request);
    lines.add(
        isSole
            ? "  no other file and no memstore has cells that the reader may see"
            : "  other files or the memstore have cells that the reader may see");
    if (columns != null) {
      lines.add(
          request.getColumnCount() > 0
              ? "  leaves out all but " + columns.size() + " columns"
              : fits(columns)
                  ? "  does not leave out columns: the filter looks at rows without them"
                  : "  does not leave out columns: there are too many for a request");
    }
    if (request.hasMinTimestamp() || request.hasMaxTimestamp()) {
      lines.add(
          "  leaves out puts before "
              + request.getMinTimestamp()
              + (request.hasMaxTimestamp()
                  ? " and from " + request.getMaxTimestamp() + " on"
                  : ""));
    }
    if (request.hasOldestUnexpired()) {
      lines.add("  leaves out what has expired");
    }
    if (scan.hasFilter()) {
      explainFilter(isSole, lines);
    }
    if (request.getNoValues()) {
      lines.add("  sends no values");
    }
    if (request.hasTrimVersions()) {
      lines.add("  leaves gaps behind " + request.getTrimVersions() + " versions of a column");
    }
    if (request.hasTrimColumns()) {
      lines.add("  leaves gaps behind " + request.getTrimColumns() + " columns of a row");
    }
  }

  private void explainFilter(boolean isSole, List<String> lines) {
    if (filter != null) {
      lines.add("  applies " + filter.filter() + ", judging " + words(filter.scope()));
    }
    if (filter != null && filters.isWhole(scan.getFilter(), filter)) {
      return;
    }
    String why =
        scan.isRaw()
            ? "a raw scan shows what a filter's verdict depends on"
            : family.isNewVersionBehavior()
                ? "with new version behaviour a cell that is left out may hide others"
                : scan.isReversed()
                    ? "reverse scans push down no filter"
                    : needsAllCells
                        ? "it may end the scan of a family at any cell"
                        : !isSole && filters.part(scan, FilterScope.BY_ROW) != null
                            ? "it needs all cells of a row, and the node does not have them"
                            : "docs/filters.md says why";
    lines.add(
        "  does not apply " + (filter == null ? scan.getFilter() : "the rest of it") + ": " + why);
  }

  private static String words(FilterScope scope) {
    return switch (scope) {
      case BY_COLUMN -> "by column";
      case BY_VERSION -> "by cell";
      case BY_ROW -> "by row";
    };
  }

  // A filter sees every row, even one that has none of the columns, in HBase's filterRowKey: a
  // WhileMatchFilter may end the scan there. Only where no such row matters are columns left out.
  private boolean pushes(NavigableSet<byte[]> wanted) {
    return fits(wanted) && !needsAllCells;
  }

  private static boolean fits(Collection<byte[]> wanted) {
    return wanted.size() <= Protocol.MAX_COLUMNS
        && wanted.stream().mapToLong(column -> column.length).sum() <= Protocol.MAX_PUSHED_BYTES;
  }

  /** What is pushed down of the filter, to be applied here; null: nothing. */
  @Nullable LocalFilter localFilter() {
    return filter == null || filterMessage == null
        ? null
        : new LocalFilter(filterMessage, filter.scope());
  }

  /** Whether the columns to cache are asked for in place of what the filter includes. */
  boolean isOfSlice() {
    return isOfSlice;
  }

  /** Whether every row that the daemon sends is one that the reader returns, as far as is known. */
  boolean selectsRows() {
    return !scan.hasFilter()
        || filters.isWhole(scan.getFilter(), filter)
        || firstColumns() > 0
        || onlyPages();
  }

  private int firstColumns() {
    return scan.hasFilter() ? filters.firstColumns(scan, filter != null || isOfSlice) : 0;
  }

  private boolean onlyPages() {
    return filters.kind(scan.getFilter()) == FilterPushdown.Kind.ROWS
        || filters.kind(scan.getFilter()) == FilterPushdown.Kind.TRANSFORM;
  }

  /** Rows after which the scan's filter ends it; 0: it does not. */
  long pageSize() {
    return scan.hasFilter() ? filters.pageSize(scan.getFilter()) : 0;
  }

  /** The class of the filter that is pushed down, with those inside it; null if none is. */
  @Nullable String filterClass() {
    return filter == null ? null : classes(filter.filter());
  }

  /** Whether a filter is pushed down that is not all of HBase's own classes. */
  boolean hasForeignFilter() {
    return filter != null && filters.isForeign(filter.filter());
  }

  private static String classes(Filter filter) {
    String name = filter.getClass().getName();
    if (filter instanceof SkipFilter skip) {
      return name + "(" + classes(skip.getFilter()) + ")";
    }
    return filter instanceof FilterList list
        ? list.getFilters().stream()
            .map(Pushdown::classes)
            .distinct()
            .sorted()
            .collect(Collectors.joining(",", name + "(", ")"))
        : name;
  }
}
