package io.ishbase.plugin.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.BitComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/** Filters of all kinds, sound ones, and ones that no client makes. */
final class FilterDraw {
  /** What takes a second when it is stopped; not more than one in so many. */
  private static final int EXPLODING_ONE_IN = 60_000;

  private static final List<String> EXPLODING =
      List.of(
          "(a+)+b",
          "(a|aa)+$b",
          "(a|a?)+b",
          "(.*a){20}b",
          "(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)"
              + "(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)(?:^|^|^|^)\\z",
          "(?:(?:^){2000000000}){2000000000}",
          "(?:(?=){2000000000}){2000000000}");

  private static final List<String> EXPRESSIONS =
      List.of(
          "row0[1-3].",
          "^row",
          "[",
          "(",
          "\\",
          "a{1000}",
          "(a{50}){50}",
          "a*b*c*",
          "(?i)ROW",
          "(?<=r)o",
          "\\1",
          "(".repeat(200) + ")".repeat(200),
          "(".repeat(9000) + ")".repeat(9000),
          "\\Q*\\E.",
          "[a-z&&[^b]]+",
          "\\p{javaLowerCase}*");

  private static final List<String> NAMES =
      Stream.of(
              FilterList.class,
              SkipFilter.class,
              PrefixFilter.class,
              FuzzyRowFilter.class,
              MultiRowRangeFilter.class,
              TimestampsFilter.class,
              ValueFilter.class,
              ColumnValueFilter.class,
              SingleColumnValueFilter.class,
              SingleColumnValueExcludeFilter.class,
              MultipleColumnPrefixFilter.class,
              ColumnRangeFilter.class)
          .map(Class::getName)
          .toList();

  private final Random random;

  FilterDraw(Random random) {
    this.random = random;
  }

  ByteString draw() {
    try {
      FilterProtos.Filter filter =
          random.nextInt(8) == 0 ? regex() : ProtobufUtil.toFilter(sound());
      return ByteString.copyFrom(changed(filter).toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Filter sound() {
    try {
      return filter(0);
    } catch (IllegalArgumentException e) {
      // HBase's client refuses to make it.
      return new KeyOnlyFilter();
    }
  }

  /** Half of them stay as they are. */
  private FilterProtos.Filter changed(FilterProtos.Filter filter) {
    return switch (random.nextInt(12)) {
      case 0 ->
          filter.toBuilder()
              .setSerializedFilter(
                  ByteString.copyFrom(
                      MessageMutator.bytes(random, filter.getSerializedFilter().toByteArray())))
              .build();
      case 1 -> filter.toBuilder().clearSerializedFilter().build();
      case 2 ->
          filter.toBuilder()
              .setName(
                  random.nextBoolean()
                      ? "java.lang.Runtime"
                      : filter.getName().toUpperCase(Locale.ROOT))
              .build();
      case 3 -> random.nextInt(20) == 0 ? nested(filter, 1 + random.nextInt(120)) : filter;
      case 4 -> random.nextInt(20) == 0 ? many(filter, random.nextInt(2_000)) : filter;
      case 5 ->
          // What another class is to read.
          filter.toBuilder().setName(NAMES.get(random.nextInt(NAMES.size()))).build();
      default -> filter;
    };
  }

  private FilterProtos.Filter nested(FilterProtos.Filter innermost, int levels) {
    FilterProtos.Filter filter = innermost;
    for (int i = 0; i < levels; i++) {
      filter = many(filter, 1);
    }
    return filter;
  }

  private static FilterProtos.Filter many(FilterProtos.Filter filter, int times) {
    FilterProtos.FilterList.Builder list =
        FilterProtos.FilterList.newBuilder()
            .setOperator(FilterProtos.FilterList.Operator.MUST_PASS_ALL);
    for (int i = 0; i < times; i++) {
      list.addFilters(filter);
    }
    return FilterProtos.Filter.newBuilder()
        .setName(FilterList.class.getName())
        .setSerializedFilter(list.build().toByteString())
        .build();
  }

  private Filter filter(int depth) {
    return switch (random.nextInt(depth < 3 ? 20 : 16)) {
      case 0 -> new ColumnPrefixFilter(word());
      case 1 -> new MultipleColumnPrefixFilter(new byte[][] {word(), word()});
      case 2 -> new ColumnRangeFilter(word(), random.nextBoolean(), word(), random.nextBoolean());
      case 3 -> new PrefixFilter(word());
      case 4 -> new InclusiveStopFilter(word());
      case 5 -> fuzzy();
      case 6 -> ranges();
      case 7 ->
          new TimestampsFilter(List.of(1L, 5L, random.nextLong() >>> 1), random.nextBoolean());
      case 8 -> new KeyOnlyFilter(random.nextBoolean());
      case 9 -> new RowFilter(operator(), comparator());
      case 10 -> new FamilyFilter(operator(), comparator());
      case 11 -> new QualifierFilter(operator(), comparator());
      case 12 -> new ValueFilter(operator(), comparator());
      case 13 -> new SingleColumnValueFilter(word(), word(), operator(), comparator());
      case 14 -> new SingleColumnValueExcludeFilter(word(), word(), operator(), comparator());
      case 15 -> new ColumnValueFilter(word(), word(), operator(), comparator());
      case 16 -> new SkipFilter(filter(depth + 1));
      case 17 -> random.nextBoolean() ? new WhileMatchFilter(filter(depth + 1)) : new PageFilter(3);
      default -> {
        List<Filter> members = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
          Filter member = filter(depth + 1);
          // HBase's constructor refuses lists that run in two directions.
          member.setReversed(false);
          members.add(member);
        }
        yield new FilterList(
            random.nextBoolean()
                ? FilterList.Operator.MUST_PASS_ALL
                : FilterList.Operator.MUST_PASS_ONE,
            members);
      }
    };
  }

  private Filter fuzzy() {
    List<Pair<byte[], byte[]>> keys = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      byte[] key = word();
      byte[] mask = new byte[key.length];
      for (int at = 0; at < mask.length; at++) {
        mask[at] = (byte) random.nextInt(2);
      }
      keys.add(new Pair<>(key, mask));
    }
    return new FuzzyRowFilter(keys);
  }

  private Filter ranges() {
    byte[] from = word();
    byte[] to = Bytes.add(from, new byte[] {-1});
    return new MultiRowRangeFilter(
        new ArrayList<>(List.of(new MultiRowRangeFilter.RowRange(from, true, to, false))));
  }

  private CompareOperator operator() {
    CompareOperator[] all = CompareOperator.values();
    return all[random.nextInt(all.length)];
  }

  private ByteArrayComparable comparator() {
    return switch (random.nextInt(9)) {
      case 0 -> new BinaryPrefixComparator(word());
      case 1 -> new BitComparator(word(), BitComparator.BitwiseOp.XOR);
      case 2 -> new NullComparator();
      case 3 -> new LongComparator(random.nextLong());
      case 4 -> new SubstringComparator(Bytes.toString(word()));
      case 5 -> new BinaryComparator(Bytes.toBytes(random.nextLong()));
      case 6 ->
          new BigDecimalComparator(
              new BigDecimal(random.nextInt()).scaleByPowerOfTen(random.nextInt(2_000) - 1_000));
      case 7 -> new BinaryComponentComparator(word(), random.nextInt(8) - 2);
      default -> new BinaryComparator(word());
    };
  }

  /** As a message, for HBase's own classes would not make most of them. */
  private FilterProtos.Filter regex() {
    String expression =
        random.nextInt(EXPLODING_ONE_IN) == 0
            ? EXPLODING.get(random.nextInt(EXPLODING.size()))
            : EXPRESSIONS.get(random.nextInt(EXPRESSIONS.size()));
    ComparatorProtos.Comparator comparator =
        ComparatorProtos.Comparator.newBuilder()
            .setName(RegexStringComparator.class.getName())
            .setSerializedComparator(
                ComparatorProtos.RegexStringComparator.newBuilder()
                    .setPattern(expression)
                    .setPatternFlags(random.nextInt(4) == 0 ? random.nextInt(512) : Pattern.DOTALL)
                    .setCharset(random.nextInt(10) == 0 ? "no-such" : "UTF-8")
                    .setEngine(random.nextInt(10) == 0 ? "JONI" : "JAVA")
                    .build()
                    .toByteString())
            .build();
    return FilterProtos.Filter.newBuilder()
        .setName((random.nextBoolean() ? ValueFilter.class : RowFilter.class).getName())
        .setSerializedFilter(
            FilterProtos.ValueFilter.newBuilder()
                .setCompareFilter(
                    FilterProtos.CompareFilter.newBuilder()
                        .setCompareOp(HBaseProtos.CompareType.EQUAL)
                        .setComparator(comparator))
                .build()
                .toByteString())
        .build();
  }

  private byte[] word() {
    return switch (random.nextInt(6)) {
      case 0 -> Bytes.toBytes("row0" + random.nextInt(10));
      case 1 -> Bytes.toBytes("q" + random.nextInt(5));
      case 2 -> Bytes.toBytes("f");
      case 3 -> new byte[random.nextInt(4)];
      case 4 -> Bytes.toBytes("aaa");
      default -> {
        byte[] any = new byte[random.nextInt(12)];
        random.nextBytes(any);
        yield any;
      }
    };
  }
}
