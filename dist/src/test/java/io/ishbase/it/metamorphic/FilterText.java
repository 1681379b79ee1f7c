package io.ishbase.it.metamorphic;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Filters of HBase's filter language, drawn. */
final class FilterText {
  private static final String[] OPERATORS = {"<", "<=", "=", "!=", ">=", ">"};

  private final Random random;
  private final Names names;
  private final List<Supplier<String>> makers =
      List.of(
          () -> "ColumnCountGetFilter(" + number(1, 4) + ")",
          () -> "ColumnPaginationFilter(" + number(1, 3) + "," + number(0, 2) + ")",
          () -> "ColumnsFrom(" + number(1, 3) + ",'" + qualifier() + "')",
          () -> "ColumnPrefixFilter('" + one("q", "q1", "c") + "')",
          this::columnRange,
          () -> "ColumnValueFilter(" + column() + "," + compared() + ")",
          () -> "DependentColumnFilter(" + column() + ")",
          () -> "DependentColumnFilter(" + column() + "," + bool() + "," + compared() + ")",
          () -> "FamilyFilter(" + operator() + ",'binary:" + one("f", "g") + "')",
          () -> "FirstKeyOnlyFilter()",
          () -> "Fuzzy('row0?" + number(0, 9) + "')",
          () -> "InclusiveStopFilter('" + row() + "')",
          () -> "KeyOnlyFilter()",
          () -> "Lengths()",
          this::ranges,
          () -> "MultipleColumnPrefixFilter('q" + number(0, 2) + "','q4')",
          () -> "PageFilter(" + number(1, 10) + ")",
          () -> "PrefixFilter('row0" + number(0, 3) + "')",
          () -> "QualifierFilter(" + operator() + ",'binary:" + qualifier() + "')",
          () -> "RowFilter(" + operator() + ",'binary:" + row() + "')",
          () -> "RowFilter(=,'regexstring:.*[0-4]$')",
          () -> "SingleColumnValueFilter(" + column() + "," + compared() + ")",
          () ->
              "SingleColumnValueFilter("
                  + column()
                  + ","
                  + compared()
                  + ","
                  + bool()
                  + ","
                  + bool()
                  + ")",
          () -> "SingleColumnValueExcludeFilter(" + column() + "," + compared() + ")",
          () -> "TimestampsFilter(" + times() + ")",
          () -> "HintedTimestamps(" + times() + ")",
          () -> "ValueFilter(" + compared() + ")");

  FilterText(Random random, Names names) {
    this.random = random;
    this.names = names;
  }

  /** A filter, possibly a list or a wrapper of others. */
  String next() {
    return next(2);
  }

  /** The same, for a scan: with filters that are for Gets alone HBase's depend on its blocks. */
  String ofScan() {
    String filter;
    do {
      filter = next();
    } while (filter.contains("ColumnCountGetFilter"));
    return filter;
  }

  private String next(int depth) {
    int kind = random.nextInt(12);
    if (depth > 0 && kind < 2) {
      return IntStream.rangeClosed(0, 1 + random.nextInt(2))
          .mapToObj(inner(depth))
          .collect(Collectors.joining(kind == 0 ? " AND " : " OR "));
    }
    if (depth > 0 && kind < 4) {
      return (kind == 2 ? "SKIP " : "WHILE ") + inner(depth).apply(0);
    }
    return makers.get(random.nextInt(makers.size())).get();
  }

  private IntFunction<String> inner(int depth) {
    return number -> "(" + next(depth - 1) + ")";
  }

  private String operator() {
    return one(OPERATORS);
  }

  /** An operator and what a value is compared with. */
  private String compared() {
    return switch (random.nextInt(3)) {
      case 0 -> operator() + ",'binaryprefix:v" + number(0, 9) + "'";
      case 1 -> one("=", "!=") + ",'substring:" + number(0, 9) + "'";
      default -> operator() + ",'binary:" + names.value() + "'";
    };
  }

  private String column() {
    return "'" + names.family() + "','" + qualifier() + "'";
  }

  private String columnRange() {
    TreeSet<String> ends = new TreeSet<>();
    while (ends.size() < 2) {
      ends.add(qualifier());
    }
    return "ColumnRangeFilter('"
        + ends.first()
        + "',"
        + bool()
        + ",'"
        + ends.last()
        + "',"
        + bool()
        + ")";
  }

  private String ranges() {
    TreeSet<String> ends = new TreeSet<>();
    int count = 2 * (1 + random.nextInt(2));
    while (ends.size() < count) {
      ends.add("'" + row() + "'");
    }
    return "Ranges(" + String.join(",", ends) + ")";
  }

  private String times() {
    return IntStream.range(0, 3).mapToObj(i -> "@" + names.time()).collect(Collectors.joining(","));
  }

  private String row() {
    return names.row();
  }

  private String qualifier() {
    return names.qualifier();
  }

  private boolean bool() {
    return random.nextBoolean();
  }

  private int number(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  private String one(String... values) {
    return values[random.nextInt(values.length)];
  }
}
