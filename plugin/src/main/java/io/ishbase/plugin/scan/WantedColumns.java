package io.ishbase.plugin.scan;

import io.ishbase.core.cache.memory.Columns;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a Get has to do with in one family: what it finds follows from their cells and
 * from the delete markers of the family, whatever else the row has.
 *
 * <p>Of a filter counts the part that a storage daemon could apply by column ({@link
 * FilterPushdown}), under the same conditions: what that part does not include may be there or not.
 *
 * @param columns null: all
 * @param isSlice whether a filter makes them these, and a storage node can be asked for them
 * @param limit of a slice: how many of them the filter lets through; 0: it has no such limit
 */
public record WantedColumns(@Nullable Columns columns, boolean isSlice, int limit) {
  private static final WantedColumns ALL = new WantedColumns(null, false, 0);
  private static final byte[] NO_QUALIFIER = {};

  /** Filters and prefixes that are looked at: a Get may have any number. */
  private static final int MAX_PARTS = 1000;

  /**
   * Those of a Get.
   *
   * @param named the columns that it names in the family; null: none
   */
  public static WantedColumns of(
      Scan get, ScanInfo family, @Nullable NavigableSet<byte[]> named, FilterPushdown filters) {
    if (get.hasFilter() && filters.needsAllCells(get)) {
      return ALL;
    }
    Columns columns = named == null || named.isEmpty() ? null : Columns.of(named);
    Filter part =
        get.hasFilter() && FilterPushdown.mayLeaveOut(get, family) ? filters.columnPart(get) : null;
    Columns ofFilter = part == null || parts(part) > MAX_PARTS ? Columns.ALL : of(part);
    if (ofFilter.isAll()) {
      return columns == null ? ALL : new WantedColumns(columns, false, 0);
    }
    Columns slice = columns == null ? ofFilter : columns.intersect(ofFilter);
    if (slice.isEmpty()) {
      return columns == null ? ALL : new WantedColumns(columns, false, 0);
    }
    boolean isSlice = isExact(part) && (slice.singles() != null || filter(slice) != null);
    return new WantedColumns(slice, isSlice, isSlice ? filters.firstColumns(get, true) : 0);
  }

  private static int parts(Filter filter) {
    if (filter instanceof FilterList list) {
      return list.getFilters().stream().mapToInt(WantedColumns::parts).sum();
    }
    return filter instanceof MultipleColumnPrefixFilter prefixes ? prefixes.getPrefix().length : 1;
  }

  /** Whether a filter includes no other columns than those that {@link #of} says. */
  private static boolean isExact(@Nullable Filter filter) {
    if (filter instanceof FilterList list) {
      return list.getFilters().stream().allMatch(WantedColumns::isExact);
    }
    return filter instanceof ColumnRangeFilter
        || filter instanceof ColumnPrefixFilter
        || filter instanceof MultipleColumnPrefixFilter
        || filter instanceof QualifierFilter qualifier
            && qualifier.getComparator() instanceof BinaryComparator
            && qualifier.getCompareOperator() != CompareOperator.NOT_EQUAL;
  }

  /** All columns that a filter of scope COLUMN includes, and perhaps others. */
  static Columns of(Filter filter) {
    if (filter instanceof FilterList list) {
      return ofAll(list);
    }
    if (filter instanceof ColumnRangeFilter range) {
      return ofRange(range);
    }
    if (filter instanceof ColumnPrefixFilter prefix) {
      return prefix.getPrefix() == null ? Columns.ALL : Columns.withPrefix(prefix.getPrefix());
    }
    if (filter instanceof MultipleColumnPrefixFilter prefixes) {
      // Of two prefixes of which one begins with the other, HBase may pass over what has the
      // shorter.
      return prefixes.getPrefix().length == 0 ? Columns.ALL : withPrefixes(prefixes.getPrefix());
    }
    return filter instanceof QualifierFilter qualifier
            && qualifier.getComparator() instanceof BinaryComparator
        ? ofQualifier(qualifier)
        : Columns.ALL;
  }

  private static Columns ofAll(FilterList list) {
    List<Filter> members = list.getFilters();
    boolean isConjunction = list.getOperator() == Operator.MUST_PASS_ALL;
    if (!isConjunction && !members.isEmpty()) {
      return Columns.union(members.stream().map(WantedColumns::of).toList());
    }
    Columns all = Columns.ALL;
    for (Filter member : members) {
      all = all.intersect(of(member));
    }
    return all;
  }

  private static Columns ofRange(ColumnRangeFilter range) {
    byte[] min = range.getMinColumn();
    byte[] max = range.getMaxColumn();
    return Columns.between(
        min == null ? NO_QUALIFIER : range.getMinColumnInclusive() ? min : after(min),
        max == null || !range.getMaxColumnInclusive() ? max : after(max));
  }

  private static Columns ofQualifier(QualifierFilter filter) {
    byte[] value = filter.getComparator().getValue();
    return switch (filter.getCompareOperator()) {
      case LESS -> Columns.between(NO_QUALIFIER, value);
      case LESS_OR_EQUAL -> Columns.between(NO_QUALIFIER, after(value));
      case EQUAL -> Columns.of(value);
      case GREATER_OR_EQUAL -> Columns.between(value, null);
      case GREATER -> Columns.between(after(value), null);
      case NOT_EQUAL, NO_OP -> Columns.ALL;
    };
  }

  /** The first qualifier behind {@code qualifier}. */
  private static byte[] after(byte[] qualifier) {
    return Arrays.copyOf(qualifier, qualifier.length + 1);
  }

  /**
   * A filter that includes the cells of these columns and no others. It does not remember cells: a
   * list of alternatives does, and HBase's looks at one that may be gone.
   *
   * @param columns not empty
   * @return null if there is none
   */
  static @Nullable Filter filter(Columns columns) {
    if (columns.count() == 1) {
      byte[] from = columns.from(0);
      return new ColumnRangeFilter(from.length == 0 ? null : from, true, columns.to(0), false);
    }
    byte[][] prefixes = new byte[columns.count()][];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = columns.from(i);
    }
    return withPrefixes(prefixes).equals(columns) ? new MultipleColumnPrefixFilter(prefixes) : null;
  }

  private static Columns withPrefixes(byte[]... prefixes) {
    return Columns.union(Arrays.stream(prefixes).map(Columns::withPrefix).toList());
  }
}
