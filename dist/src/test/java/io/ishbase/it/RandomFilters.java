package io.ishbase.it;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Filters of every class that HBase ships, with arguments from the test's own small key space. */
final class RandomFilters {
  private final Random random;
  private final RandomCells cells;
  private final List<Supplier<Filter>> makers = new ArrayList<>();

  RandomFilters(Random random, RandomCells cells) {
    this.random = random;
    this.cells = cells;
    makers.add(() -> new ColumnCountGetFilter(1 + random.nextInt(4)));
    makers.add(() -> new ColumnPaginationFilter(1 + random.nextInt(3), random.nextInt(3)));
    makers.add(() -> new ColumnPaginationFilter(1 + random.nextInt(3), cells.qualifier()));
    makers.add(() -> new ColumnPrefixFilter(Bytes.toBytes("q")));
    makers.add(() -> new ColumnPrefixFilter(cells.qualifier()));
    makers.add(this::columnRange);
    makers.add(
        () -> new ColumnValueFilter(cells.family(), cells.qualifier(), operator(), comparable()));
    makers.add(
        () ->
            new DependentColumnFilter(
                cells.family(), cells.qualifier(), random.nextBoolean(), operator(), value()));
    makers.add(() -> new FamilyFilter(operator(), new BinaryComparator(cells.family())));
    makers.add(FirstKeyOnlyFilter::new);
    makers.add(this::fuzzy);
    makers.add(() -> new InclusiveStopFilter(cells.row()));
    makers.add(() -> new KeyOnlyFilter(random.nextBoolean()));
    makers.add(this::rowRanges);
    makers.add(
        () ->
            new MultipleColumnPrefixFilter(
                new byte[][] {Bytes.toBytes("q" + random.nextInt(3)), Bytes.toBytes("q4")}));
    makers.add(() -> new PageFilter(1 + random.nextInt(10)));
    makers.add(() -> new PrefixFilter(Bytes.toBytes("row0" + random.nextInt(4))));
    makers.add(() -> new QualifierFilter(operator(), new BinaryComparator(cells.qualifier())));
    // Its verdict is drawn anew each time: only the certain chances can be compared.
    makers.add(() -> new RandomRowFilter(random.nextBoolean() ? 2f : -1f));
    makers.add(() -> new RowFilter(operator(), new BinaryComparator(cells.row())));
    makers.add(() -> new RowFilter(CompareOperator.EQUAL, new RegexStringComparator(".*[0-4]$")));
    makers.add(this::singleColumn);
    makers.add(
        () ->
            new SingleColumnValueExcludeFilter(
                cells.family(), cells.qualifier(), operator(), comparable()));
    makers.add(
        () ->
            new TimestampsFilter(
                List.of(cells.timestamp(), cells.timestamp(), cells.timestamp()),
                random.nextBoolean()));
    makers.add(() -> new ValueFilter(operator(), comparable()));
  }

  /** A filter, possibly a list or a wrapper of others. */
  Filter next() {
    return next(2);
  }

  /** The same, for a scan: with filters that are for Gets alone HBase's depend on its blocks. */
  Filter ofScan() {
    Filter filter;
    do {
      filter = next();
    } while (filter.toString().contains(ColumnCountGetFilter.class.getSimpleName()));
    return filter;
  }

  private Filter next(int depth) {
    int kind = random.nextInt(12);
    if (depth > 0 && kind < 2) {
      FilterList list =
          new FilterList(
              random.nextBoolean()
                  ? FilterList.Operator.MUST_PASS_ALL
                  : FilterList.Operator.MUST_PASS_ONE);
      int members = 1 + random.nextInt(3);
      for (int i = 0; i < members; i++) {
        list.addFilter(next(depth - 1));
      }
      return list;
    }
    if (depth > 0 && kind == 2) {
      return new SkipFilter(next(depth - 1));
    }
    if (depth > 0 && kind == 3) {
      return new WhileMatchFilter(next(depth - 1));
    }
    return makers.get(random.nextInt(makers.size())).get();
  }

  private CompareOperator operator() {
    CompareOperator[] operators = {
      CompareOperator.LESS,
      CompareOperator.LESS_OR_EQUAL,
      CompareOperator.EQUAL,
      CompareOperator.NOT_EQUAL,
      CompareOperator.GREATER_OR_EQUAL,
      CompareOperator.GREATER
    };
    return operators[random.nextInt(operators.length)];
  }

  private ByteArrayComparable value() {
    return new BinaryComparator(cells.value());
  }

  private ByteArrayComparable comparable() {
    return switch (random.nextInt(3)) {
      case 0 -> new BinaryPrefixComparator(Bytes.toBytes("v" + random.nextInt(10)));
      case 1 -> new SubstringComparator("" + random.nextInt(10));
      default -> value();
    };
  }

  private Filter columnRange() {
    byte[] a = cells.qualifier();
    byte[] b = cells.qualifier();
    boolean ordered = Bytes.compareTo(a, b) <= 0;
    return new ColumnRangeFilter(
        ordered ? a : b, random.nextBoolean(), ordered ? b : a, random.nextBoolean());
  }

  private Filter fuzzy() {
    return new FuzzyRowFilter(
        List.of(
            new Pair<>(
                Bytes.toBytes("row0?" + random.nextInt(10)), new byte[] {0, 0, 0, 0, 1, 0})));
  }

  private Filter rowRanges() {
    List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      TreeSet<byte[]> ends = new TreeSet<>((Comparator<byte[]>) Bytes.BYTES_COMPARATOR);
      while (ends.size() < 2) {
        ends.add(cells.row());
      }
      ranges.add(
          new MultiRowRangeFilter.RowRange(
              ends.first(), random.nextBoolean(), ends.last(), random.nextBoolean()));
    }
    return new MultiRowRangeFilter(ranges);
  }

  private Filter singleColumn() {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(cells.family(), cells.qualifier(), operator(), comparable());
    filter.setFilterIfMissing(random.nextBoolean());
    filter.setLatestVersionOnly(random.nextBoolean());
    return filter;
  }
}
