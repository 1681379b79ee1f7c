package io.ishbase.plugin.scan;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.PushedComparators;
import io.ishbase.protocol.UnreadSteps;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;

/**
 * What of a scan's filter a storage daemon may apply. The classes that HBase 2.6 ships are known
 * one by one; {@code docs/filters.md} gives the reasons.
 */
public final class FilterPushdown {
  /** What a filter class is, for this purpose. */
  enum Kind {
    /** Its verdict follows from row, family and qualifier. */
    COLUMN,
    /** Its verdict follows from the cell. */
    VERSION,
    /** It changes what is returned of a cell, never whether. */
    TRANSFORM,
    /** Its verdict follows from the cells of the row. */
    ROW,
    /** It ends the row after the first few cells that it is shown. */
    FIRST_CELLS,
    /** It counts the rows that are returned. */
    ROWS,
    /** It may do what it likes with rows that it is shown. */
    UNKNOWN
  }

  private static final Map<Class<?>, Kind> KINDS = new HashMap<>();

  static {
    put(
        Kind.COLUMN,
        RowFilter.class,
        FamilyFilter.class,
        QualifierFilter.class,
        ColumnPrefixFilter.class,
        MultipleColumnPrefixFilter.class,
        ColumnRangeFilter.class,
        PrefixFilter.class,
        InclusiveStopFilter.class,
        FuzzyRowFilter.class,
        MultiRowRangeFilter.class);
    put(Kind.VERSION, ValueFilter.class, TimestampsFilter.class);
    put(Kind.TRANSFORM, KeyOnlyFilter.class);
    put(
        Kind.ROW,
        SingleColumnValueFilter.class,
        SingleColumnValueExcludeFilter.class,
        ColumnValueFilter.class,
        SkipFilter.class);
    put(
        Kind.FIRST_CELLS,
        FirstKeyOnlyFilter.class,
        ColumnCountGetFilter.class,
        ColumnPaginationFilter.class);
    put(Kind.ROWS, PageFilter.class);
  }

  private static final Set<Class<?>> HINTING_IN_ROW =
      Set.of(ColumnPrefixFilter.class, MultipleColumnPrefixFilter.class, ColumnRangeFilter.class);

  /** Others that give hints. */
  private static final Set<Class<?>> HINTING =
      Set.of(
          FuzzyRowFilter.class,
          PrefixFilter.class,
          MultiRowRangeFilter.class,
          TimestampsFilter.class,
          ColumnPaginationFilter.class);

  /** What HBase's coprocessors add for labels and grants: it looks at cells alone. */
  private static final Set<String> OF_SECURITY =
      Set.of(
          "org.apache.hadoop.hbase.security.access.AccessControlFilter",
          "org.apache.hadoop.hbase.security.visibility.VisibilityLabelFilter");

  /** Longer patterns of regular expressions are not looked into. */
  private static final int MAX_PATTERN_BYTES = 64 << 10;

  /** Families with names so long are not read with a {@link PrefixFilter} that goes by column. */
  private static final int LONG_FAMILY = ' ';

  private final Set<String> declared;

  /**
   * @param declared names of other filter classes whose verdict follows from the cell
   */
  public FilterPushdown(List<String> declared) {
    this.declared = Set.copyOf(declared);
  }

  private static void put(Kind kind, Class<?>... classes) {
    for (Class<?> each : classes) {
      KINDS.put(each, kind);
    }
  }

  /** A filter for the daemon and what its verdict follows from. */
  record Pushed(Filter filter, FilterScope scope) {}

  /**
   * The part of a read's filter that a daemon may apply.
   *
   * @param maxScope the widest scope in which the daemon knows enough
   * @return null if there is none
   */
  @Nullable Pushed part(Scan read, FilterScope maxScope) {
    Filter filter = read.getFilter();
    if (maxScope != FilterScope.BY_COLUMN) {
      Filter whole = withoutPages(filter);
      FilterScope scope = whole == null ? null : scope(whole);
      // A page filter counts rows that a row filter behind it drops.
      if (whole != null
          && scope != null
          && scope.compareTo(maxScope) <= 0
          && (whole == filter || scope != FilterScope.BY_ROW)) {
        return new Pushed(whole, scope);
      }
    }
    Filter part = columnPart(read);
    return part == null ? null : new Pushed(part, FilterScope.BY_COLUMN);
  }

  /** Whether {@code part} is all that the filter does to cells. */
  boolean isWhole(Filter filter, @Nullable Pushed part) {
    if (part == null) {
      return false;
    }
    Filter whole = withoutPages(filter);
    return part.filter == whole || (whole != null && scope(whole) == FilterScope.BY_COLUMN);
  }

  /**
   * Whether the filter takes no notice of rows that have no cell for it to judge. If it does, not
   * even columns that were not asked for may be left out.
   */
  boolean ignoresEmptyRows(Filter filter) {
    Kind kind = kind(filter);
    if (filter instanceof SkipFilter skip) {
      return ignoresEmptyRows(skip.getFilter());
    }
    if (isList(filter)) {
      return ((FilterList) filter).getFilters().stream().allMatch(this::ignoresEmptyRows);
    }
    return kind != Kind.UNKNOWN
        || filter.getClass() == DependentColumnFilter.class
        || filter.getClass() == FirstKeyValueMatchingQualifiersFilter.class
        || filter.getClass() == TimestampsFilter.class
        || OF_SECURITY.contains(filter.getClass().getName());
  }

  /**
   * Whether the filter may end the scan of a family at any cell of a row, even at one that is not
   * shown to it: HBase asks {@code filterAllRemaining} ahead of all else. Then it matters to the
   * answer whether another family has a cell there, however old and invisible.
   */
  boolean mayEndInRow(Filter filter) {
    if (filter instanceof SkipFilter skip) {
      return mayEndInRow(skip.getFilter());
    }
    if (isList(filter)) {
      return ((FilterList) filter).getFilters().stream().anyMatch(this::mayEndInRow);
    }
    return filter.getClass() == ColumnCountGetFilter.class || !ignoresEmptyRows(filter);
  }

  /**
   * Whether the read's filter makes a difference of rows or cells that it is not shown, also of
   * those that have expired.
   */
  public boolean needsAllCells(Scan read) {
    // A WhileMatchFilter may end the scan at a row whose cells are all expired, say.
    return read.hasFilter()
        && (!read.isGetScan() && !ignoresEmptyRows(read.getFilter())
            || read.getFamilyMap().size() != 1 && mayEndInRow(read.getFilter())
            || read.getFamilyMap().keySet().stream().anyMatch(name -> name.length >= LONG_FAMILY));
  }

  /**
   * Whether filters are nested deeper than a daemon follows. Such a one is not to be looked into:
   * that takes more of the stack than to parse it has taken.
   *
   * @param filter null: none
   */
  public static boolean isTooDeep(@Nullable Filter filter) {
    List<Filter> level = filter == null ? List.of() : List.of(filter);
    for (int depth = 0; depth < Protocol.MAX_FILTER_DEPTH && !level.isEmpty(); depth++) {
      List<Filter> next = new ArrayList<>();
      for (Filter each : level) {
        if (each instanceof FilterList list) {
          next.addAll(list.getFilters());
        } else if (each instanceof SkipFilter skip) {
          next.add(skip.getFilter());
        } else if (each instanceof WhileMatchFilter whileMatch) {
          next.add(whileMatch.getFilter());
        }
      }
      level = next;
    }
    return !level.isEmpty();
  }

  /**
   * Whether cells that a read's filter does not include may be left out. A raw scan shows what the
   * matcher would hide, and with new version behaviour such a cell may still hide another.
   */
  static boolean mayLeaveOut(Scan read, ScanInfo family) {
    return !read.isRaw() && !family.isNewVersionBehavior() && !read.isReversed();
  }

  /**
   * Whether the filter may seek to an older version of a column past newer ones, which then do not
   * count.
   *
   * @param filter null: none
   */
  public static boolean mayPassOverVersions(@Nullable Filter filter) {
    if (filter == null) {
      return false;
    }
    if (filter instanceof SkipFilter skip) {
      return mayPassOverVersions(skip.getFilter());
    }
    if (isList(filter)) {
      return ((FilterList) filter)
          .getFilters().stream().anyMatch(FilterPushdown::mayPassOverVersions);
    }
    return !KINDS.containsKey(filter.getClass()) || filter.getClass() == TimestampsFilter.class;
  }

  /**
   * Columns after which a read's filter skips the rest of a row; 0 if it does not.
   *
   * @param ofPart whether they are counted in what its {@link #columnPart} leaves of a row
   */
  int firstColumns(Scan read, boolean ofPart) {
    return firstColumns(read.getFilter(), ofPart && isOfOneFamily(read));
  }

  private int firstColumns(Filter filter, boolean ofPart) {
    if (isList(filter)) {
      FilterList list = (FilterList) filter;
      if (list.getOperator() != Operator.MUST_PASS_ALL) {
        return 0;
      }
      int columns = 0;
      for (Filter member : list.getFilters()) {
        Kind kind = kind(member);
        if (kind == Kind.FIRST_CELLS && columns == 0) {
          columns = firstColumns(member, ofPart);
        } else if (kind != Kind.TRANSFORM
            && kind != Kind.ROWS
            && (kind != Kind.COLUMN || columns > 0)) {
          return 0;
        }
      }
      return columns;
    }
    if (filter.getClass() == FirstKeyOnlyFilter.class) {
      return 1;
    }
    if (filter.getClass() == ColumnCountGetFilter.class) {
      return Math.max(0, ((ColumnCountGetFilter) filter).getLimit());
    }
    if (filter.getClass() == ColumnPaginationFilter.class) {
      ColumnPaginationFilter pages = (ColumnPaginationFilter) filter;
      if (pages.getColumnOffset() != null) {
        return ofPart ? Math.max(0, pages.getLimit()) : 0;
      }
      return Math.max(0, pages.getOffset()) + Math.max(0, pages.getLimit());
    }
    return 0;
  }

  /** Whether nobody looks at values: the filter removes them from what it returns. */
  boolean removesValues(Filter filter) {
    if (isList(filter)) {
      FilterList list = (FilterList) filter;
      return list.getOperator() == Operator.MUST_PASS_ALL
          && list.getFilters().stream().anyMatch(this::removesValues)
          && list.getFilters().stream().allMatch(this::ignoresValues);
    }
    return filter.getClass() == KeyOnlyFilter.class && !keepsLengths((KeyOnlyFilter) filter);
  }

  private boolean ignoresValues(Filter filter) {
    return switch (kind(filter)) {
      case COLUMN, FIRST_CELLS, ROWS -> true;
      case TRANSFORM -> !keepsLengths((KeyOnlyFilter) filter);
      default -> filter.getClass() == TimestampsFilter.class;
    };
  }

  private static boolean keepsLengths(KeyOnlyFilter filter) {
    try {
      return FilterProtos.KeyOnlyFilter.parseFrom(filter.toByteArray()).getLenAsVal();
    } catch (InvalidProtocolBufferException e) {
      return true;
    }
  }

  /** Rows after which the filter ends the scan; 0 if it does not. */
  long pageSize(Filter filter) {
    if (isList(filter) && ((FilterList) filter).getOperator() == Operator.MUST_PASS_ALL) {
      return ((FilterList) filter)
          .getFilters().stream().mapToLong(this::pageSize).filter(size -> size > 0).min().orElse(0);
    }
    return filter.getClass() == PageFilter.class ? ((PageFilter) filter).getPageSize() : 0;
  }

  Kind kind(Filter filter) {
    Kind kind = KINDS.get(filter.getClass());
    if (filter.getClass() == TimestampsFilter.class && canHint(filter)
        || filter.getClass() == PrefixFilter.class && !goesByRow((PrefixFilter) filter)) {
      return Kind.UNKNOWN;
    }
    if (kind == null) {
      return declared.contains(filter.getClass().getName()) ? Kind.VERSION : Kind.UNKNOWN;
    }
    ByteArrayComparable comparator = comparator(filter);
    return comparator == null || isKnown(comparator) ? kind : Kind.UNKNOWN;
  }

  private static @Nullable ByteArrayComparable comparator(Filter filter) {
    return filter instanceof CompareFilter compare
        ? compare.getComparator()
        : filter instanceof SingleColumnValueFilter single
            ? single.getComparator()
            : filter instanceof ColumnValueFilter value ? value.getComparator() : null;
  }

  /** Whether the filter, or one inside it, compares with a regular expression. */
  boolean hasRegularExpression(Filter filter) {
    if (filter instanceof SkipFilter skip) {
      return hasRegularExpression(skip.getFilter());
    }
    return isList(filter)
        ? ((FilterList) filter).getFilters().stream().anyMatch(this::hasRegularExpression)
        : comparator(filter) instanceof RegexStringComparator;
  }

  // HBase compares as many bytes as the prefix has, also of a shorter row: the length of its
  // family's name is behind it. If that is greater, the filter ends the scan there, unless a row
  // before has made it jump over it.
  private static boolean goesByRow(PrefixFilter filter) {
    byte[] prefix = filter.getPrefix();
    for (int i = 1; prefix != null && i < prefix.length; i++) {
      if ((prefix[i] & 0xff) < LONG_FAMILY) {
        return false;
      }
    }
    return true;
  }

  // A daemon cannot stop an evaluation by the other engine of regular expressions, nor one that
  // reads nothing.
  private static boolean isKnown(ByteArrayComparable comparator) {
    if (comparator.getClass() != RegexStringComparator.class) {
      return PushedComparators.CLASSES.contains(comparator.getClass());
    }
    try {
      ComparatorProtos.RegexStringComparator regex =
          ComparatorProtos.RegexStringComparator.parseFrom(comparator.toByteArray());
      return regex.getEngine().equals(RegexStringComparator.EngineType.JAVA.name())
          && regex.getPattern().length() <= MAX_PATTERN_BYTES
          && UnreadSteps.of(regex.getPattern(), regex.getPatternFlags()).areBounded();
    } catch (InvalidProtocolBufferException e) {
      // HBase's matcher would never close what it has opened if this threw.
      return false;
    }
  }

  /** Whether the filter, or one inside it, is of a class that HBase does not ship. */
  boolean isForeign(Filter filter) {
    if (filter instanceof SkipFilter skip) {
      return isForeign(skip.getFilter());
    }
    return isList(filter)
        ? ((FilterList) filter).getFilters().stream().anyMatch(this::isForeign)
        : !KINDS.containsKey(filter.getClass());
  }

  // Versions that it seeks past are not counted, and those before the seek are.
  private static boolean canHint(Filter filter) {
    try {
      return FilterProtos.TimestampsFilter.parseFrom(filter.toByteArray()).getCanHint();
    } catch (IOException e) {
      return true;
    }
  }

  private static boolean isList(Filter filter) {
    return filter.getClass() == FilterList.class;
  }

  /** The scope of the whole filter; null if it has none. */
  private @Nullable FilterScope scope(Filter filter) {
    if (isList(filter)) {
      FilterList list = (FilterList) filter;
      if (mayMissHint(list)) {
        return null;
      }
      FilterScope widest = FilterScope.BY_COLUMN;
      int index = 0;
      for (Filter member : list.getFilters()) {
        // Before 2.6 HBase asks a member for hints only about what those ahead include; behind two
        // these may differ.
        if (widest == FilterScope.BY_ROW && index >= 2 && hintsInRow(list, member)) {
          return null;
        }
        // Once for each member, however deep lists are nested.
        FilterScope scope = scope(member);
        if (scope == null) {
          return null;
        }
        index++;
        widest = scope.compareTo(widest) > 0 ? scope : widest;
      }
      // A fuzzy filter that is done has no more part in filterRow.
      return widest == FilterScope.BY_ROW && hasFuzzyAlternative(list, false) ? null : widest;
    }
    return switch (kind(filter)) {
      case COLUMN -> FilterScope.BY_COLUMN;
      // Of its own it includes all; in a list its verdict is part of the list's.
      case VERSION, TRANSFORM -> FilterScope.BY_VERSION;
      case ROW ->
          filter instanceof SkipFilter skip && scope(skip.getFilter()) == null
              ? null
              : FilterScope.BY_ROW;
      default -> null;
    };
  }

  /** The filter without the page filters in its conjunction; null if nothing is left. */
  private @Nullable Filter withoutPages(Filter filter) {
    if (kind(filter) == Kind.ROWS) {
      return null;
    }
    if (!isList(filter) || ((FilterList) filter).getOperator() != Operator.MUST_PASS_ALL) {
      return filter;
    }
    List<Filter> members = ((FilterList) filter).getFilters();
    List<Filter> rest = new ArrayList<>();
    for (Filter member : members) {
      if (kind(member) != Kind.ROWS) {
        rest.add(member);
      }
    }
    return rest.size() == members.size()
        ? filter
        : rest.isEmpty() ? null : new FilterList(Operator.MUST_PASS_ALL, rest);
  }

  /**
   * A filter of scope COLUMN that includes all cells that a read's own includes, and all that it
   * must see to judge others; null if that would be all cells.
   *
   * <p>A conjunction shows a cell to its members in turn, and behind the first that does not
   * include it only to those that give hints. So the members before the first that remembers cells
   * may be applied ahead of it, unless such a hint passes over what that one would then see.
   */
  @Nullable Filter columnPart(Scan read) {
    return columnPart(read.getFilter(), isOfOneFamily(read));
  }

  private @Nullable Filter columnPart(Filter filter, boolean isOfOneFamily) {
    if (!isList(filter)) {
      return kind(filter) == Kind.COLUMN
          ? filter
          : isOfOneFamily && filter.getClass() == ColumnPaginationFilter.class
              ? fromOffset((ColumnPaginationFilter) filter)
              : null;
    }
    FilterList list = (FilterList) filter;
    List<Filter> parts = new ArrayList<>();
    if (list.getOperator() == Operator.MUST_PASS_ONE) {
      return scope(filter) == FilterScope.BY_COLUMN && !list.getFilters().isEmpty() ? filter : null;
    }
    if (!list.getFilters().stream().allMatch(this::ignoresEmptyRows)
        || mayMissHint(list)
        || hintsBehindMemory(list)) {
      return null;
    }
    for (Filter member : list.getFilters()) {
      Filter part = columnPart(member, isOfOneFamily);
      if (part != null) {
        parts.add(part);
      }
      if (remembers(member)) {
        break;
      }
    }
    return parts.isEmpty() ? null : new FilterList(Operator.MUST_PASS_ALL, parts);
  }

  // HBase names all of a table's families where a client names none.
  private static boolean isOfOneFamily(Scan read) {
    return read.getFamilyMap().size() == 1;
  }

  // What lies before its first column it passes over, in the first family in which it finds one.
  private static @Nullable Filter fromOffset(ColumnPaginationFilter pages) {
    byte[] offset = pages.getColumnOffset();
    return offset == null ? null : new ColumnRangeFilter(offset, true, null, false);
  }

  /** Whether there is a fuzzy filter in a disjunction. */
  private static boolean hasFuzzyAlternative(Filter filter, boolean isAlternative) {
    if (!isList(filter)) {
      return isAlternative && filter.getClass() == FuzzyRowFilter.class;
    }
    FilterList list = (FilterList) filter;
    boolean areAlternatives = isAlternative || list.getOperator() == Operator.MUST_PASS_ONE;
    return list.getFilters().stream().anyMatch(each -> hasFuzzyAlternative(each, areAlternatives));
  }

  /**
   * Whether a conjunction throws where it is asked otherwise than by HBase: a fuzzy filter has no
   * hint any more once it is done, and the list compares that with the hint of one ahead of it.
   */
  private static boolean mayMissHint(FilterList list) {
    boolean hints = false;
    for (Filter member : list.getFilters()) {
      if (hints && member.getClass() == FuzzyRowFilter.class) {
        return list.getOperator() == Operator.MUST_PASS_ALL;
      }
      hints |= mayHint(member);
    }
    return false;
  }

  private static boolean mayHint(Filter filter) {
    return isList(filter)
        ? ((FilterList) filter).getFilters().stream().anyMatch(FilterPushdown::mayHint)
        : HINTING.contains(filter.getClass()) || HINTING_IN_ROW.contains(filter.getClass());
  }

  /**
   * Whether a conjunction has members that give hints within a row behind one that remembers cells.
   * HBase asks them also about cells that those ahead refuse, and passes over what the other one
   * then does not see.
   */
  private boolean hintsBehindMemory(FilterList list) {
    boolean remembers = false;
    for (Filter member : list.getFilters()) {
      if (remembers && hintsInRow(list, member)) {
        return true;
      }
      remembers |= remembers(member);
    }
    return false;
  }

  private static boolean hintsInRow(FilterList list, Filter member) {
    return list.getOperator() == Operator.MUST_PASS_ALL
        && HINTING_IN_ROW.contains(member.getClass());
  }

  private boolean remembers(Filter member) {
    FilterScope scope = scope(member);
    return (scope == null || scope == FilterScope.BY_ROW) && kind(member) != Kind.ROWS;
  }
}
