package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Setting;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.BytesBytesPair;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.junit.jupiter.api.Test;

class FiltersTest {
  /** A filter that HBase does not ship. */
  public static final class Own extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      return ReturnCode.INCLUDE;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static Own parseFrom(byte[] bytes) {
      return new Own();
    }
  }

  /** Classes whose code ran. */
  private static final List<String> RAN = new CopyOnWriteArrayList<>();

  /** A filter that nobody declared. */
  public static final class Undeclared extends FilterBase {
    static {
      RAN.add("static initializer of a filter");
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
      return ReturnCode.INCLUDE;
    }

    public static Undeclared parseFrom(byte[] bytes) {
      RAN.add("parseFrom of a filter");
      return new Undeclared();
    }
  }

  /** A comparator that HBase does not ship. */
  public static final class OwnComparator extends ByteArrayComparable {
    static {
      RAN.add("static initializer of a comparator");
    }

    OwnComparator() {
      super(new byte[0]);
    }

    @Override
    public int compareTo(byte[] value, int offset, int length) {
      return 0;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static OwnComparator parseFrom(byte[] bytes) {
      RAN.add("parseFrom of a comparator");
      return new OwnComparator();
    }
  }

  private static Filters declaring(String... classes) {
    Configuration conf = new Configuration(false);
    conf.set(Setting.CELL_LOCAL_FILTERS.key(), String.join(",", classes));
    return new Filters(conf);
  }

  private static ByteString message(Filter filter) throws IOException {
    return ByteString.copyFrom(ProtobufUtil.toFilter(filter).toByteArray());
  }

  private static void refuses(Filters filters, ByteString message) {
    refuses(filters, message, Code.FILTER);
  }

  private static void refuses(Filters filters, ByteString message, Code code) {
    assertThatThrownBy(() -> filters.parse(message))
        .isInstanceOfSatisfying(RequestException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void makesHBasesOwnAndThoseThatAreDeclared() throws IOException {
    assertThat(declaring().parse(message(new KeyOnlyFilter()))).isInstanceOf(KeyOnlyFilter.class);
    Filters filters = declaring(Own.class.getName());
    assertThat(filters.parse(message(new Own()))).isInstanceOf(Own.class);
    assertThat(filters.parse(message(new FilterList(new KeyOnlyFilter(), new Own()))))
        .isInstanceOf(FilterList.class);
  }

  @Test
  void refusesWhatIsNotDeclared() throws IOException {
    refuses(declaring(), message(new Own()));
    refuses(declaring(), message(new FilterList(new KeyOnlyFilter(), new Own())));
  }

  /** HBase's would look for the next row for ever, as it would at a region server. */
  @Test
  void refusesAFuzzyRowWhoseMaskIsNone() throws IOException {
    for (String mask : List.of("aaa", "\0\1a", "\2\2\3", "\4\0\0")) {
      refuses(declaring(), fuzzy("aaa", mask, true), Code.FILTER_FAILED);
    }
    refuses(declaring(), fuzzy("aaa", "\0\0\2", false), Code.FILTER_FAILED);
    for (String mask : List.of("\0\1\0", "\2\2\2", "\0\0\0", "\1\2\0")) {
      assertThat(declaring().parse(fuzzy("aaa", mask, true))).isInstanceOf(FuzzyRowFilter.class);
    }
    assertThat(declaring().parse(fuzzy("aaa", "\0\1\0", false))).isInstanceOf(FuzzyRowFilter.class);
    // As HBase's client makes it.
    Filter usual =
        new FuzzyRowFilter(List.of(new Pair<>(Bytes.toBytes("abcd"), new byte[] {0, 1, 1, 0})));
    assertThat(declaring().parse(message(usual))).isInstanceOf(FuzzyRowFilter.class);
  }

  private static ByteString fuzzy(String key, String mask, boolean isSecondForm) {
    return of(
            FuzzyRowFilter.class,
            FilterProtos.FuzzyRowFilter.newBuilder()
                .setIsMaskV2(isSecondForm)
                .addFuzzyKeysData(
                    BytesBytesPair.newBuilder()
                        .setFirst(ByteString.copyFromUtf8(key))
                        .setSecond(ByteString.copyFromUtf8(mask)))
                .build())
        .toByteString();
  }

  private static FilterProtos.Filter of(Class<?> type, Message inner) {
    return of(type.getName(), inner == null ? ByteString.EMPTY : inner.toByteString());
  }

  private static FilterProtos.Filter of(String name, ByteString inner) {
    return FilterProtos.Filter.newBuilder().setName(name).setSerializedFilter(inner).build();
  }

  @Test
  void runsNothingOfAClassThatIsNotDeclared() {
    String undeclared = FiltersTest.class.getName() + "$Undeclared";
    FilterProtos.Filter inner = of(undeclared, ByteString.EMPTY);
    ComparatorProtos.Comparator comparator =
        ComparatorProtos.Comparator.newBuilder()
            .setName(FiltersTest.class.getName() + "$OwnComparator")
            .build();
    FilterProtos.CompareFilter compare =
        FilterProtos.CompareFilter.newBuilder()
            .setCompareOp(HBaseProtos.CompareType.EQUAL)
            .setComparator(comparator)
            .build();
    FilterProtos.SingleColumnValueFilter single =
        FilterProtos.SingleColumnValueFilter.newBuilder()
            .setCompareOp(HBaseProtos.CompareType.EQUAL)
            .setComparator(comparator)
            .build();
    List<FilterProtos.Filter> all =
        List.of(
            inner,
            of(SkipFilter.class, FilterProtos.SkipFilter.newBuilder().setFilter(inner).build()),
            of(
                WhileMatchFilter.class,
                FilterProtos.WhileMatchFilter.newBuilder().setFilter(inner).build()),
            of(
                FilterList.class,
                FilterProtos.FilterList.newBuilder()
                    .setOperator(FilterProtos.FilterList.Operator.MUST_PASS_ALL)
                    .addFilters(
                        of(
                            SkipFilter.class,
                            FilterProtos.SkipFilter.newBuilder().setFilter(inner).build()))
                    .build()),
            of(
                ValueFilter.class,
                FilterProtos.ValueFilter.newBuilder().setCompareFilter(compare).build()),
            of(SingleColumnValueFilter.class, single),
            of(
                SingleColumnValueExcludeFilter.class,
                FilterProtos.SingleColumnValueExcludeFilter.newBuilder()
                    .setSingleColumnValueFilter(single)
                    .build()),
            of(
                ColumnValueFilter.class,
                FilterProtos.ColumnValueFilter.newBuilder()
                    .setFamily(ByteString.EMPTY)
                    .setQualifier(ByteString.EMPTY)
                    .setCompareOp(HBaseProtos.CompareType.EQUAL)
                    .setComparator(comparator)
                    .build()));
    for (FilterProtos.Filter filter : all) {
      refuses(declaring(Own.class.getName()), filter.toByteString());
    }
    assertThat(RAN).isEmpty();
  }

  @Test
  void makesEachOfHBasesThatIsPushedDown() throws IOException {
    byte[] f = Bytes.toBytes("f");
    List<Filter> all =
        List.of(
            new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("a.*")),
            new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(f)),
            new QualifierFilter(CompareOperator.EQUAL, new SubstringComparator("f")),
            new ValueFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(f)),
            new ColumnPrefixFilter(f),
            new MultipleColumnPrefixFilter(new byte[][] {f}),
            new ColumnRangeFilter(f, true, null, false),
            new PrefixFilter(f),
            new InclusiveStopFilter(f),
            new FuzzyRowFilter(List.of(new Pair<>(f, new byte[1]))),
            new MultiRowRangeFilter(new byte[][] {f}),
            new TimestampsFilter(List.of(1L)),
            new KeyOnlyFilter(),
            new SingleColumnValueFilter(f, f, CompareOperator.EQUAL, f),
            new SingleColumnValueExcludeFilter(f, f, CompareOperator.EQUAL, new NullComparator()),
            new ColumnValueFilter(f, f, CompareOperator.EQUAL, f),
            new SkipFilter(new ValueFilter(CompareOperator.EQUAL, new LongComparator(1))),
            new FilterList(new PrefixFilter(f), new FilterList(new KeyOnlyFilter())));
    for (Filter filter : all) {
      assertThat(declaring().parse(message(filter))).hasSameClassAs(filter);
    }
  }

  @Test
  void refusesWhatItCannotBound() throws IOException {
    Filter deep = new KeyOnlyFilter();
    for (int level = 0; level < 1000; level++) {
      deep = new SkipFilter(deep);
    }
    refuses(declaring(), message(deep), Code.FILTER_FAILED);
    refuses(declaring(), message(new PrefixFilter(new byte[2 << 20])), Code.FILTER_FAILED);
    refuses(
        declaring(),
        message(
            new RowFilter(
                CompareOperator.EQUAL,
                new RegexStringComparator("a", RegexStringComparator.EngineType.JONI))),
        Code.FILTER_FAILED);
    refuses(
        declaring(),
        message(
            new RowFilter(
                CompareOperator.EQUAL,
                new RegexStringComparator("(?:(?:^){2000000000}){2000000000}"))),
        Code.FILTER_FAILED);
    refuses(
        declaring(),
        message(
            new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("a", Pattern.CANON_EQ))),
        Code.FILTER_FAILED);
  }

  @Test
  void refusesWhatIsDeclaredButNotThere() {
    String name = "com.example.NoSuchFilter";
    refuses(
        declaring(name),
        ByteString.copyFrom(FilterProtos.Filter.newBuilder().setName(name).build().toByteArray()));
  }

  @Test
  void refusesWhatIsNoFilter() {
    refuses(declaring(), ByteString.copyFromUtf8("no filter"));
    refuses(
        declaring(String.class.getName()),
        ByteString.copyFrom(
            FilterProtos.Filter.newBuilder()
                .setName(String.class.getName())
                .build()
                .toByteArray()));
  }
}
