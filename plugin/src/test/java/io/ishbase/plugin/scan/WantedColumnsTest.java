package io.ishbase.plugin.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class WantedColumnsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER_FAMILY = Bytes.toBytes("g");
  private static final Filter RANGE = range("b", true, "d", false);

  private final FilterPushdown filters = new FilterPushdown(List.of());
  private final Random random = new Random(Seed.get());

  private static Filter range(String min, boolean withMin, String max, boolean withMax) {
    return new ColumnRangeFilter(
        min == null ? null : Bytes.toBytes(min),
        withMin,
        max == null ? null : Bytes.toBytes(max),
        withMax);
  }

  private static Filter prefix(String prefix) {
    return new ColumnPrefixFilter(Bytes.toBytes(prefix));
  }

  private static Filter qualifier(CompareOperator operator, String value) {
    return new QualifierFilter(operator, new BinaryComparator(Bytes.toBytes(value)));
  }

  private static Filter all(Filter... members) {
    return new FilterList(Operator.MUST_PASS_ALL, members);
  }

  private static Filter one(Filter... members) {
    return new FilterList(Operator.MUST_PASS_ONE, members);
  }

  private static ScanInfo family(boolean hasNewVersions) {
    return new ScanInfo(
        new Configuration(false),
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setNewVersionBehavior(hasNewVersions)
            .build(),
        Long.MAX_VALUE,
        0,
        CellComparator.getInstance());
  }

  private static Scan get(Filter filter) {
    return new Scan(new Get(Bytes.toBytes("r")).addFamily(FAMILY).setFilter(filter));
  }

  private WantedColumns wanted(Scan get, String... named) {
    NavigableSet<byte[]> columns = null;
    if (named.length > 0) {
      columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      columns.addAll(Arrays.stream(named).map(Bytes::toBytes).toList());
    }
    return WantedColumns.of(get, family(false), columns, filters);
  }

  private void assertSlice(Filter filter, String columns) {
    WantedColumns wanted = wanted(get(filter));
    assertThat(wanted.isSlice()).isTrue();
    assertThat(wanted.columns()).hasToString(columns);
  }

  /** What is cached of these columns is of use, but nobody can be asked for just them. */
  private void assertLookup(Filter filter, String columns) {
    WantedColumns wanted = wanted(get(filter));
    assertThat(wanted.isSlice()).isFalse();
    assertThat(wanted.columns()).hasToString(columns);
  }

  private void assertNoSlice(Filter filter) {
    assertThat(wanted(get(filter))).isEqualTo(new WantedColumns(null, false, 0));
  }

  /** To join them one by one would take minutes. */
  @Test
  void manyPrefixesAreNotLookedAt() {
    byte[][] prefixes = new byte[200_000][];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = Bytes.toBytes(2 * i);
    }
    Filter many = new MultipleColumnPrefixFilter(prefixes);
    assertNoSlice(many);
    Filter[] ranges = new Filter[2000];
    Arrays.setAll(ranges, i -> new ColumnPrefixFilter(Bytes.toBytes(2 * i)));
    assertNoSlice(one(ranges));
    assertNoSlice(all(new KeyOnlyFilter(), many, RANGE, one(ranges)));
    assertThat(wanted(get(one(Arrays.copyOf(ranges, 1000)))).columns().count()).isEqualTo(1000);
  }

  @Test
  void bordersAreThoseOfHBase() {
    assertSlice(RANGE, "b..d");
    assertSlice(range("b", false, "d", true), "b\\x00..d\\x00");
    assertSlice(range("b", true, null, false), "b..");
    assertSlice(range(null, true, "d", false), "..d");
    assertSlice(range("b", true, "b", true), "b");
    assertSlice(range("", false, "d", false), "\\x00..d");
    assertSlice(range(null, false, "", true), "");
    assertSlice(prefix("b"), "b..c");
    assertSlice(new ColumnPrefixFilter(new byte[] {'b', -1, -1}), "b\\xFF\\xFF..c");
    assertSlice(new ColumnPrefixFilter(new byte[] {-1}), "\\xFF..");
    assertSlice(
        new MultipleColumnPrefixFilter(new byte[][] {{'d'}, {'b'}, {'c', 'a'}}),
        "b..c ca..cb d..e");
  }

  @Test
  void aComparisonIsAnInterval() {
    assertSlice(qualifier(CompareOperator.EQUAL, "b"), "b");
    assertSlice(qualifier(CompareOperator.LESS, "b"), "..b");
    assertSlice(qualifier(CompareOperator.LESS_OR_EQUAL, "b"), "..b\\x00");
    assertSlice(qualifier(CompareOperator.GREATER, "b"), "b\\x00..");
    assertSlice(qualifier(CompareOperator.GREATER_OR_EQUAL, "b"), "b..");
    assertNoSlice(qualifier(CompareOperator.NOT_EQUAL, "b"));
    assertNoSlice(new QualifierFilter(CompareOperator.EQUAL, null));
    assertNoSlice(
        new QualifierFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(Bytes.toBytes("b"))));
  }

  @Test
  void whatALaterFilterMakesFewerIsNoSlice() {
    Filter regex = new QualifierFilter(CompareOperator.EQUAL, new RegexStringComparator("7$"));
    assertLookup(all(prefix("b"), regex), "b..c");
    assertLookup(all(prefix("b"), qualifier(CompareOperator.NOT_EQUAL, "bb")), "b..c");
  }

  @Test
  void ofAListCountsWhatComesBeforeAFilterThatRemembers() {
    Filter page = new ColumnPaginationFilter(2, 0);
    Filter value = new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(new byte[1]));
    assertSlice(all(RANGE, page), "b..d");
    assertSlice(all(RANGE, value), "b..d");
    assertSlice(all(value, RANGE), "b..d");
    assertSlice(all(RANGE, prefix("c"), page), "c..d");
    // What gives hints behind it is asked about each cell.
    assertNoSlice(all(RANGE, prefix("c"), page, prefix("ca")));
    assertSlice(all(all(RANGE), new ColumnCountGetFilter(3)), "b..d");
    assertLookup(one(RANGE, prefix("x")), "b..d x..y");
    assertSlice(one(RANGE, prefix("d")), "b..e");
    assertNoSlice(all(page, RANGE));
    assertNoSlice(one(RANGE, page));
    Filter from = new ColumnPaginationFilter(2, Bytes.toBytes("c"));
    assertSlice(all(RANGE, from), "c..d");
    assertNoSlice(all(RANGE, from, prefix("ca")));
    assertNoSlice(one(RANGE, from));
    assertNoSlice(all());
    assertNoSlice(one());
    assertNoSlice(all(RANGE, new WhileMatchFilter(prefix("b"))));
    assertNoSlice(new SkipFilter(RANGE));
    assertNoSlice(
        all(
            new SingleColumnValueFilter(FAMILY, FAMILY, CompareOperator.EQUAL, new byte[1]),
            RANGE));
  }

  @Test
  void whatNothingPassesIsNoSlice() {
    assertNoSlice(range("d", true, "b", true));
    assertNoSlice(range("b", true, "b", false));
    assertNoSlice(all(RANGE, prefix("x")));
    assertThat(wanted(get(RANGE), "x", "y").columns()).hasToString("x y");
    assertThat(wanted(get(RANGE), "x", "y").isSlice()).isFalse();
  }

  @Test
  void namedColumnsAreWantedAsFarAsTheFilterLetsThemPass() {
    assertThat(wanted(get(RANGE), "a", "b", "c", "d").columns()).hasToString("b c");
    assertThat(wanted(get(RANGE), "a", "b", "c", "d").isSlice()).isTrue();
    assertThat(wanted(get(null), "a", "b").columns()).hasToString("a b");
    assertThat(wanted(get(null), "a", "b").isSlice()).isFalse();
    assertThat(wanted(get(null)).columns()).isNull();
  }

  @Test
  void whereNothingMayBeLeftOutAllIsWanted() {
    assertThat(WantedColumns.of(get(RANGE), family(true), null, filters).columns()).isNull();
    assertThat(wanted(get(RANGE).setRaw(true)).columns()).isNull();
    Filter count = all(RANGE, new ColumnCountGetFilter(1));
    assertThat(wanted(get(count).addFamily(OTHER_FAMILY), "b").columns()).isNull();
    assertThat(wanted(get(RANGE).addFamily(OTHER_FAMILY)).columns()).hasToString("b..d");
  }

  @Test
  void columnsThatAreOneIntervalOrPrefixesHaveAFilter() {
    assertThat(WantedColumns.filter(WantedColumns.of(RANGE)))
        .isEqualTo(range("b", true, "d", false));
    assertThat(WantedColumns.filter(WantedColumns.of(range(null, true, "d", true))))
        .isEqualTo(range(null, true, "d\0", false));
    Filter prefixes = new MultipleColumnPrefixFilter(new byte[][] {{'d'}, {'b'}});
    assertThat(WantedColumns.filter(WantedColumns.of(prefixes))).isEqualTo(prefixes);
    assertThat(WantedColumns.filter(WantedColumns.of(one(prefix("b"), prefix("d")))))
        .isEqualTo(prefixes);
    assertThat(WantedColumns.filter(WantedColumns.of(one(RANGE, prefix("x"))))).isNull();
  }

  private byte[] name() {
    byte[] name = new byte[random.nextInt(3)];
    for (int i = 0; i < name.length; i++) {
      name[i] = (byte) (random.nextInt(3) - 1);
    }
    return name;
  }

  private byte[] nameOrNull() {
    return random.nextInt(5) == 0 ? null : name();
  }

  private Filter anyFilter(int depth) {
    return switch (random.nextInt(depth == 0 ? 4 : 6)) {
      case 0 ->
          new ColumnRangeFilter(
              nameOrNull(), random.nextBoolean(), nameOrNull(), random.nextBoolean());
      case 1 -> new ColumnPrefixFilter(name());
      case 2 ->
          new MultipleColumnPrefixFilter(
              Stream.of(name(), name(), name())
                  .collect(Collectors.toCollection(() -> new TreeSet<>(Bytes.BYTES_COMPARATOR)))
                  .toArray(byte[][]::new));
      case 3 ->
          new QualifierFilter(
              CompareOperator.values()[random.nextInt(CompareOperator.values().length)],
              new BinaryComparator(name()));
      case 4 -> all(anyFilter(depth - 1), anyFilter(depth - 1));
      default -> one(anyFilter(depth - 1), anyFilter(depth - 1));
    };
  }

  /** A row of all columns with names of up to three of the bytes that bounds are made of. */
  private static List<Cell> cells() {
    List<byte[]> names = new ArrayList<>(List.of(new byte[0]));
    for (int i = 0; i < names.size() && names.get(i).length < 3; i++) {
      for (byte next : new byte[] {0, 1, 2, -1}) {
        names.add(Bytes.add(names.get(i), new byte[] {next}));
      }
    }
    names.sort(Bytes.BYTES_COMPARATOR);
    List<Cell> cells = new ArrayList<>();
    names.forEach(name -> cells.add(new KeyValue(FAMILY, FAMILY, name, 1, FAMILY)));
    return cells;
  }

  /** What a filter includes of a row of which it is shown what it does not ask to skip. */
  private static List<Cell> included(Filter filter, List<Cell> cells) throws IOException {
    List<Cell> included = new ArrayList<>();
    filter.reset();
    Cell hint = null;
    for (Cell cell : cells) {
      if (hint != null && CellComparator.getInstance().compare(cell, hint) < 0) {
        continue;
      }
      ReturnCode code = filter.filterCell(cell);
      switch (code) {
        case INCLUDE, INCLUDE_AND_NEXT_COL -> included.add(cell);
        case SEEK_NEXT_USING_HINT -> hint = filter.getNextCellHint(cell);
        case NEXT_ROW -> {
          return included;
        }
        default -> {}
      }
    }
    return included;
  }

  @Test
  void noFilterIncludesACellThatIsNotWanted() throws IOException {
    List<Cell> cells = cells();
    for (int i = 0; i < 5000; i++) {
      Filter filter = anyFilter(2);
      Columns columns = WantedColumns.of(filter);
      for (Cell cell : included(filter, cells)) {
        assertThat(columns.contains(CellUtil.cloneQualifier(cell)))
            .as("%s in %s by %s", cell, columns, filter)
            .isTrue();
      }
    }
  }

  @Test
  void theFilterOfColumnsIncludesTheirCellsAndNoOthers() throws IOException {
    List<Cell> cells = cells();
    for (int i = 0; i < 5000; i++) {
      Columns columns = WantedColumns.of(anyFilter(2));
      Filter filter = columns.isEmpty() ? null : WantedColumns.filter(columns);
      if (filter != null) {
        assertThat(included(filter, cells))
            .as("%s", columns)
            .isEqualTo(
                cells.stream()
                    .filter(cell -> columns.contains(CellUtil.cloneQualifier(cell)))
                    .toList());
      }
    }
  }
}
