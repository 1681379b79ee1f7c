package io.ishbase.plugin.scan;

import static io.ishbase.protocol.generated.IssnProtos.FilterScope.BY_COLUMN;
import static io.ishbase.protocol.generated.IssnProtos.FilterScope.BY_ROW;
import static io.ishbase.protocol.generated.IssnProtos.FilterScope.BY_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.FilterListBase;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class FilterPushdownTest {
  private static final Filter COLUMN = new ColumnPrefixFilter(Bytes.toBytes("c"));
  private static final Filter ROWS = new PrefixFilter(Bytes.toBytes("r"));
  private static final Filter VALUE =
      new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("v")));
  private static final Filter SINGLE =
      new SingleColumnValueFilter(
          Bytes.toBytes("f"), Bytes.toBytes("q"), CompareOperator.EQUAL, Bytes.toBytes("v"));
  private static final Filter PAGE = new PageFilter(7);
  private static final Filter FIRST = new FirstKeyOnlyFilter();
  private static final Filter CUSTOM = new Custom();

  /** A filter of nobody's acquaintance. */
  static final class Custom extends FilterBase {}

  private final FilterPushdown pushdown = new FilterPushdown(List.of());

  private static FilterList all(Filter... members) {
    return new FilterList(Operator.MUST_PASS_ALL, members);
  }

  private static FilterList one(Filter... members) {
    return new FilterList(Operator.MUST_PASS_ONE, members);
  }

  private String part(Filter filter, FilterScope maxScope) {
    FilterPushdown.Pushed part = pushdown.part(ofFamily(filter), maxScope);
    return part == null ? "nothing" : part.scope() + " " + text(part.filter());
  }

  private static Scan ofFamily(Filter filter) {
    return new Scan().addFamily(Bytes.toBytes("f")).setFilter(filter);
  }

  private static String text(Filter filter) {
    return filter instanceof FilterList list
        ? list.getFilters().stream().map(FilterPushdownTest::text).toList().toString()
        : filter.getClass().getSimpleName();
  }

  @Test
  void aloneAFilterGoesDownIfItsScopeAllows() {
    assertThat(part(COLUMN, BY_COLUMN)).isEqualTo("BY_COLUMN ColumnPrefixFilter");
    assertThat(part(VALUE, BY_COLUMN)).isEqualTo("nothing");
    assertThat(part(VALUE, BY_VERSION)).isEqualTo("BY_VERSION ValueFilter");
    assertThat(part(SINGLE, BY_VERSION)).isEqualTo("nothing");
    assertThat(part(SINGLE, BY_ROW)).isEqualTo("BY_ROW SingleColumnValueFilter");
    assertThat(part(new SkipFilter(VALUE), BY_ROW)).isEqualTo("BY_ROW SkipFilter");
    for (Filter none : List.of(PAGE, FIRST, CUSTOM, new WhileMatchFilter(COLUMN))) {
      assertThat(part(none, BY_ROW)).isEqualTo("nothing");
    }
  }

  @Test
  void ofAConjunctionGoesDownWhatStandsAheadOfMemory() {
    assertThat(part(all(COLUMN, VALUE, ROWS), BY_COLUMN))
        .isEqualTo("BY_COLUMN [ColumnPrefixFilter, PrefixFilter]");
    assertThat(part(all(COLUMN, FIRST, ROWS), BY_ROW)).isEqualTo("BY_COLUMN [ColumnPrefixFilter]");
    assertThat(part(all(FIRST, COLUMN), BY_ROW)).isEqualTo("nothing");
    assertThat(part(all(COLUMN, PAGE), BY_COLUMN)).isEqualTo("BY_COLUMN [ColumnPrefixFilter]");
    assertThat(part(all(COLUMN, SINGLE), BY_ROW))
        .isEqualTo("BY_ROW [ColumnPrefixFilter, SingleColumnValueFilter]");
    // A page would count the rows that the single column drops.
    assertThat(part(all(COLUMN, PAGE, SINGLE), BY_ROW)).isEqualTo("BY_COLUMN [ColumnPrefixFilter]");
    assertThat(part(all(COLUMN, PAGE, VALUE), BY_ROW))
        .isEqualTo("BY_VERSION [ColumnPrefixFilter, ValueFilter]");
    assertThat(part(all(COLUMN, CUSTOM), BY_ROW)).isEqualTo("nothing");
    assertThat(part(all(COLUMN, new WhileMatchFilter(VALUE)), BY_ROW)).isEqualTo("nothing");
  }

  /** Else it would take centuries, on the thread that has the call. */
  @Test
  void howDeepListsAreDoesNotMultiplyTheWork() {
    Filter deep = SINGLE;
    for (int depth = 1; depth < Protocol.MAX_FILTER_DEPTH; depth++) {
      deep = all(deep, VALUE);
    }
    assertThat(part(deep, BY_ROW)).startsWith("BY_ROW");
    assertThat(part(all(deep, VALUE, COLUMN), BY_ROW)).isEqualTo("nothing");
  }

  @Test
  void timestampsThatAreSoughtAreNotPushedDown() {
    Filter skipping = new TimestampsFilter(List.of(1L, 5L));
    Filter seeking = new TimestampsFilter(List.of(1L, 5L), true);
    assertThat(part(skipping, BY_VERSION)).isEqualTo("BY_VERSION TimestampsFilter");
    assertThat(part(seeking, BY_ROW)).isEqualTo("nothing");
    assertThat(part(all(COLUMN, seeking, ROWS), BY_ROW))
        .isEqualTo("BY_COLUMN [ColumnPrefixFilter]");
    assertThat(pushdown.ignoresEmptyRows(seeking)).isTrue();
  }

  /** Of the last, Java may take centuries without reading a character of the text. */
  @Test
  void expressionsThatNobodyCanStopAreNotPushedDown() {
    for (RegexStringComparator endless :
        List.of(
            new RegexStringComparator("a", RegexStringComparator.EngineType.JONI),
            new RegexStringComparator("a", Pattern.CANON_EQ),
            new RegexStringComparator("(?:(?:^){2000000000}){2000000000}"))) {
      assertThat(part(new RowFilter(CompareOperator.EQUAL, endless), BY_ROW)).isEqualTo("nothing");
    }
    Filter usual =
        new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^(a|b)+[0-9]{3}$"));
    assertThat(part(usual, BY_ROW)).isEqualTo("BY_COLUMN RowFilter");
  }

  @Test
  void aDisjunctionGoesDownWholeOrNotAtAll() {
    assertThat(part(one(COLUMN, ROWS), BY_COLUMN))
        .isEqualTo("BY_COLUMN [ColumnPrefixFilter, PrefixFilter]");
    assertThat(part(one(COLUMN, VALUE), BY_COLUMN)).isEqualTo("nothing");
    assertThat(part(one(COLUMN, VALUE), BY_VERSION))
        .isEqualTo("BY_VERSION [ColumnPrefixFilter, ValueFilter]");
    assertThat(part(one(COLUMN, PAGE), BY_ROW)).isEqualTo("nothing");
  }

  @Test
  void aDeclaredClassIsJudgedByItsCells() {
    FilterPushdown declared = new FilterPushdown(List.of(Custom.class.getName()));
    assertThat(declared.part(ofFamily(CUSTOM), BY_COLUMN)).isNull();
    assertThat(declared.part(ofFamily(CUSTOM), BY_VERSION).scope()).isEqualTo(BY_VERSION);
  }

  /** Of bytes that may be less than the length of a family's name, behind a row that is shorter. */
  @Test
  void aPrefixThatIsComparedWithMoreThanTheRowSeesAllRows() {
    assertThat(part(prefix(" a"), BY_COLUMN)).isEqualTo("BY_COLUMN PrefixFilter");
    assertThat(part(prefix("\u0000a"), BY_COLUMN)).isEqualTo("BY_COLUMN PrefixFilter");
    assertThat(part(prefix("a\u001f"), BY_ROW)).isEqualTo("nothing");
    assertThat(pushdown.ignoresEmptyRows(prefix("a\u0000"))).isFalse();
    Scan scan = new Scan().addFamily(new byte[31]).setFilter(ROWS);
    assertThat(pushdown.needsAllCells(scan)).isFalse();
    assertThat(pushdown.needsAllCells(scan.addFamily(new byte[32]))).isTrue();
  }

  private static Filter prefix(String prefix) {
    return new PrefixFilter(Bytes.toBytes(prefix));
  }

  @Test
  void tellsHowDeepAFilterIs() {
    Filter filter = COLUMN;
    assertThat(FilterPushdown.isTooDeep(null)).isFalse();
    for (int depth = 1; depth < Protocol.MAX_FILTER_DEPTH; depth++) {
      assertThat(FilterPushdown.isTooDeep(filter)).isFalse();
      filter =
          depth % 3 == 0
              ? all(VALUE, filter)
              : depth % 3 == 1 ? new SkipFilter(filter) : new WhileMatchFilter(filter);
    }
    assertThat(FilterPushdown.isTooDeep(filter)).isFalse();
    assertThat(FilterPushdown.isTooDeep(one(filter))).isTrue();
  }

  @Test
  void doesNotLookIntoLongPatterns() {
    assertThat(part(rowsLike("a".repeat(64 << 10)), BY_COLUMN)).isEqualTo("BY_COLUMN RowFilter");
    assertThat(part(rowsLike("a".repeat((64 << 10) + 1)), BY_ROW)).isEqualTo("nothing");
  }

  private static Filter rowsLike(String pattern) {
    return new RowFilter(CompareOperator.EQUAL, new RegexStringComparator(pattern));
  }

  @Test
  void knowsWhichFiltersEndARow() {
    for (boolean ofPart : new boolean[] {false, true}) {
      assertThat(pushdown.firstColumns(ofFamily(FIRST), ofPart)).isEqualTo(1);
      assertThat(pushdown.firstColumns(ofFamily(new ColumnCountGetFilter(3)), ofPart)).isEqualTo(3);
      assertThat(pushdown.firstColumns(ofFamily(new ColumnPaginationFilter(3, 4)), ofPart))
          .isEqualTo(7);
      assertThat(pushdown.firstColumns(ofFamily(all(COLUMN, FIRST, new KeyOnlyFilter())), ofPart))
          .isEqualTo(1);
      assertThat(pushdown.firstColumns(ofFamily(all(VALUE, FIRST)), ofPart)).isZero();
      assertThat(pushdown.firstColumns(ofFamily(one(COLUMN, FIRST)), ofPart)).isZero();
    }
  }

  /** Where it has found one, it takes columns ahead of it in the next family. */
  @Test
  void aPageFromAColumnOnIsARangeInOneFamily() {
    Filter page = new ColumnPaginationFilter(3, Bytes.toBytes("q4"));
    assertThat(part(page, BY_ROW)).isEqualTo("BY_COLUMN ColumnRangeFilter");
    assertThat(pushdown.part(ofFamily(page), BY_ROW).filter())
        .isEqualTo(new ColumnRangeFilter(Bytes.toBytes("q4"), true, null, false));
    assertThat(pushdown.firstColumns(ofFamily(page), true)).isEqualTo(3);
    assertThat(pushdown.firstColumns(ofFamily(page), false)).isZero();
    assertThat(part(all(COLUMN, page, ROWS), BY_ROW))
        .isEqualTo("BY_COLUMN [ColumnPrefixFilter, ColumnRangeFilter]");
    assertThat(part(one(COLUMN, page), BY_ROW)).isEqualTo("nothing");
    Scan ofTwo = ofFamily(page).addFamily(Bytes.toBytes("g"));
    assertThat(pushdown.part(ofTwo, BY_ROW)).isNull();
    assertThat(pushdown.firstColumns(ofTwo, true)).isZero();
  }

  @Test
  void knowsWhereNobodyLooksAtValues() {
    assertThat(pushdown.removesValues(new KeyOnlyFilter())).isTrue();
    assertThat(pushdown.removesValues(new KeyOnlyFilter(true))).isFalse();
    assertThat(pushdown.removesValues(all(FIRST, new KeyOnlyFilter()))).isTrue();
    assertThat(pushdown.removesValues(all(VALUE, new KeyOnlyFilter()))).isFalse();
    assertThat(pushdown.removesValues(one(COLUMN, new KeyOnlyFilter()))).isFalse();
  }

  @Test
  void everyFilterOfHBaseHasARowInTheDocumentation() throws IOException {
    String documentation = Files.readString(Path.of("../docs/filters.md"));
    List<String> missing =
        filterClasses().stream()
            .filter(name -> !documentation.contains("| " + name + " |"))
            .toList();
    assertThat(missing).isEmpty();
  }

  private static List<String> filterClasses() throws IOException {
    String directory = Filter.class.getPackageName().replace('.', '/') + "/";
    URL url = Filter.class.getResource("Filter.class");
    List<String> names =
        ((JarURLConnection) url.openConnection())
            .getJarFile().stream()
                .map(entry -> entry.getName())
                .filter(name -> name.startsWith(directory) && !name.contains("$"))
                .filter(name -> name.endsWith(".class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                .filter(FilterPushdownTest::isFilter)
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .toList();
    assertThat(names).hasSizeGreaterThan(20);
    return names;
  }

  private static boolean isFilter(String name) {
    try {
      Class<?> type = Class.forName(name);
      // The two halves of a list are no filters that a client sends.
      return Filter.class.isAssignableFrom(type)
          && !FilterListBase.class.isAssignableFrom(type)
          && !Modifier.isAbstract(type.getModifiers())
          && Modifier.isPublic(type.getModifiers());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** A site's own, whose serialized form is not HBase's. */
  static final class OwnRegex extends RegexStringComparator {
    OwnRegex() {
      super("a");
    }

    @Override
    public byte[] toByteArray() {
      return new byte[] {-1};
    }
  }

  @Test
  void whatExtendsHBasesIsNotHBases() {
    assertThat(part(new RowFilter(CompareOperator.EQUAL, new OwnRegex()), BY_ROW))
        .isEqualTo("nothing");
    Filter own =
        new TimestampsFilter(List.of(1L)) {
          @Override
          public byte[] toByteArray() {
            return new byte[] {-1};
          }
        };
    assertThat(part(own, BY_ROW)).isEqualTo("nothing");
  }

  /** It would see what HBase's matcher hides from it. */
  @Test
  void noFilterOfRowsGoesDownWithoutTheColumns() {
    for (int count : new int[] {Protocol.MAX_COLUMNS, Protocol.MAX_COLUMNS + 1}) {
      Scan scan = new Scan().setFilter(SINGLE);
      for (int i = 0; i < count; i++) {
        scan.addColumn(Bytes.toBytes("f"), Bytes.toBytes(i));
      }
      ScanInfo family =
          new ScanInfo(
              new Configuration(false),
              ColumnFamilyDescriptorBuilder.of("f"),
              Long.MAX_VALUE,
              0,
              CellComparator.getInstance());
      ReadRequest.Builder request = ReadRequest.newBuilder();
      new Pushdown(
              scan, family, scan.getFamilyMap().get(Bytes.toBytes("f")), pushdown, true, true, null)
          .addTo(request, 0);
      assertThat(request.getColumnCount() > 0)
          .as("%d columns", count)
          .isEqualTo(count == Protocol.MAX_COLUMNS);
      assertThat(request.hasFilter()).isEqualTo(count == Protocol.MAX_COLUMNS);
    }
  }
}
