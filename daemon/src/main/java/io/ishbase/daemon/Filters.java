package io.ishbase.daemon;

import io.ishbase.core.Setting;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.PushedComparators;
import io.ishbase.protocol.UnreadSteps;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ComparatorProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.BytesBytesPair;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * Which filter and comparator classes the daemon makes instances of: those of HBase's that a region
 * server pushes down, and the filters that {@link Setting#CELL_LOCAL_FILTERS} names.
 *
 * <p>A message is read from the outside in, by its structure alone, before any class of it is asked
 * to parse its part: HBase would load whatever class it names, from a directory in HDFS if need be.
 */
final class Filters {
  private static final Set<String> WITHOUT_PARTS =
      names(
          ColumnPrefixFilter.class,
          MultipleColumnPrefixFilter.class,
          ColumnRangeFilter.class,
          PrefixFilter.class,
          InclusiveStopFilter.class,
          MultiRowRangeFilter.class,
          TimestampsFilter.class,
          KeyOnlyFilter.class);

  /** All of one form. */
  private static final Set<String> COMPARING =
      names(RowFilter.class, FamilyFilter.class, QualifierFilter.class, ValueFilter.class);

  private static final Set<String> COMPARATORS =
      names(PushedComparators.CLASSES.toArray(Class<?>[]::new));

  private static final String REGEX = RegexStringComparator.class.getName();
  private static final String BIG_DECIMAL = BigDecimalComparator.class.getName();

  /** What takes the place of a comparator as it is. */
  private static final Map<String, String> BOUNDED =
      Map.of(
          SubstringComparator.class.getName(), BoundedSubstringComparator.class.getName(),
          LongComparator.class.getName(), BoundedLongComparator.class.getName(),
          BinaryComponentComparator.class.getName(), BoundedComponentComparator.class.getName());

  private static final String LIST = FilterList.class.getName();
  private static final String SKIP = SkipFilter.class.getName();
  private static final String FUZZY = FuzzyRowFilter.class.getName();

  /**
   * In masks as the filter sends them: a byte of the row must be that of the key, or may be any.
   */
  private static final byte FUZZY_FIXED = -1;

  private static final byte FUZZY_WILDCARD = 2;

  private static final String SINGLE = SingleColumnValueFilter.class.getName();
  private static final String SINGLE_EXCLUDE = SingleColumnValueExcludeFilter.class.getName();
  private static final String COLUMN_VALUE = ColumnValueFilter.class.getName();

  private final Set<String> declared;

  Filters(Configuration conf) {
    declared = Set.copyOf(Setting.CELL_LOCAL_FILTERS.list(conf::get));
  }

  private static Set<String> names(Class<?>... classes) {
    return Arrays.stream(classes).map(Class::getName).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The filter of that serialized message.
   *
   * @throws RequestException if it is malformed or has a class that is not used here
   */
  Filter parse(ByteString message) throws RequestException {
    if (message.size() > Protocol.MAX_PUSHED_BYTES) {
      throw unbounded("A filter of " + message.size() + " bytes");
    }
    try {
      return ProtobufUtil.toFilter(usable(FilterProtos.Filter.parseFrom(message), 0));
    } catch (RequestException e) {
      throw e;
    } catch (StackOverflowError e) {
      throw unbounded("A filter that is too deep to be read");
    } catch (Exception | LinkageError e) {
      throw new RequestException(Code.FILTER, "Not a filter that is usable here: " + e, e);
    }
  }

  /** The same filter, of classes that are known to be usable. */
  private FilterProtos.Filter usable(FilterProtos.Filter filter, int depth) throws IOException {
    if (depth > Protocol.MAX_FILTER_DEPTH) {
      throw unbounded("A filter of more than " + Protocol.MAX_FILTER_DEPTH + " levels");
    }
    String name = filter.getName();
    if (WITHOUT_PARTS.contains(name)) {
      return filter;
    }
    if (declared.contains(name)) {
      checkPresent(name);
      return filter;
    }
    return filter.toBuilder()
        .setSerializedFilter(usableParts(name, filter.getSerializedFilter(), depth))
        .build();
  }

  private ByteString usableParts(String name, ByteString filter, int depth) throws IOException {
    if (name.equals(LIST)) {
      FilterProtos.FilterList.Builder list = FilterProtos.FilterList.parseFrom(filter).toBuilder();
      for (int i = 0; i < list.getFiltersCount(); i++) {
        list.setFilters(i, usable(list.getFilters(i), depth + 1));
      }
      return list.build().toByteString();
    }
    if (name.equals(SKIP)) {
      FilterProtos.SkipFilter.Builder skip = FilterProtos.SkipFilter.parseFrom(filter).toBuilder();
      return skip.setFilter(usable(skip.getFilter(), depth + 1)).build().toByteString();
    }
    if (name.equals(FUZZY)) {
      checkMasks(FilterProtos.FuzzyRowFilter.parseFrom(filter));
      return filter;
    }
    if (COMPARING.contains(name)) {
      FilterProtos.RowFilter.Builder comparing =
          FilterProtos.RowFilter.parseFrom(filter).toBuilder();
      FilterProtos.CompareFilter.Builder compare = comparing.getCompareFilterBuilder();
      if (compare.hasComparator()) {
        compare.setComparator(usable(compare.getComparator()));
      }
      return comparing.build().toByteString();
    }
    if (name.equals(SINGLE)) {
      return usable(FilterProtos.SingleColumnValueFilter.parseFrom(filter)).toByteString();
    }
    if (name.equals(SINGLE_EXCLUDE)) {
      FilterProtos.SingleColumnValueExcludeFilter.Builder exclude =
          FilterProtos.SingleColumnValueExcludeFilter.parseFrom(filter).toBuilder();
      return exclude
          .setSingleColumnValueFilter(usable(exclude.getSingleColumnValueFilter()))
          .build()
          .toByteString();
    }
    if (name.equals(COLUMN_VALUE)) {
      FilterProtos.ColumnValueFilter.Builder value =
          FilterProtos.ColumnValueFilter.parseFrom(filter).toBuilder();
      return value.setComparator(usable(value.getComparator())).build().toByteString();
    }
    throw refused(
        "Filter class " + name + " is not in " + Setting.CELL_LOCAL_FILTERS.key() + " here");
  }

  /** With other bytes in a mask HBase's filter may look for the next row for ever. */
  private static void checkMasks(FilterProtos.FuzzyRowFilter fuzzy) throws RequestException {
    int wildcard = fuzzy.getIsMaskV2() ? FUZZY_WILDCARD : 0;
    for (BytesBytesPair key : fuzzy.getFuzzyKeysDataList()) {
      for (byte each : key.getSecond()) {
        if (each != FUZZY_FIXED && each != 0 && each != 1 && each != wildcard) {
          throw unbounded("A fuzzy row with " + each + " in its mask");
        }
      }
    }
  }

  private static FilterProtos.SingleColumnValueFilter usable(
      FilterProtos.SingleColumnValueFilter single) throws IOException {
    return single.toBuilder().setComparator(usable(single.getComparator())).build();
  }

  private static ComparatorProtos.Comparator usable(ComparatorProtos.Comparator comparator)
      throws IOException {
    if (comparator.getName().equals(REGEX)) {
      ComparatorProtos.RegexStringComparator regex =
          ComparatorProtos.RegexStringComparator.parseFrom(comparator.getSerializedComparator());
      String engine = regex.getEngine();
      if (!engine.isEmpty() && !engine.equals(RegexStringComparator.EngineType.JAVA.name())) {
        throw unbounded("Regular expressions of the engine " + engine + " cannot be stopped");
      }
      if (!UnreadSteps.of(regex.getPattern(), regex.getPatternFlags()).areBounded()) {
        throw unbounded("A regular expression that may take long without reading a character");
      }
      return comparator.toBuilder().setName(BoundedRegexComparator.class.getName()).build();
    }
    if (comparator.getName().equals(BIG_DECIMAL)) {
      int bytes =
          ComparatorProtos.BigDecimalComparator.parseFrom(comparator.getSerializedComparator())
              .getComparable()
              .getValue()
              .size();
      if (bytes > BoundedBigDecimalComparator.MAX_BYTES) {
        throw unbounded("A number of " + bytes + " bytes");
      }
      return comparator.toBuilder().setName(BoundedBigDecimalComparator.class.getName()).build();
    }
    String bounded = BOUNDED.get(comparator.getName());
    if (bounded != null) {
      return comparator.toBuilder().setName(bounded).build();
    }
    if (!COMPARATORS.contains(comparator.getName())) {
      throw refused("Comparator class " + comparator.getName() + " is not used here");
    }
    return comparator;
  }

  // HBase's loader of classes looks into HDFS for those that are not here.
  private static void checkPresent(String name) throws RequestException {
    try {
      Class<?> type = Class.forName(name, false, Filters.class.getClassLoader());
      if (!Filter.class.isAssignableFrom(type)) {
        throw refused("Class " + name + " is no filter");
      }
    } catch (ClassNotFoundException e) {
      throw new RequestException(Code.FILTER, "Filter class " + name + " is not here", e);
    }
  }

  /** Of this filter, not of its classes. */
  private static RequestException unbounded(String why) {
    return new RequestException(Code.FILTER_FAILED, why);
  }

  private static RequestException refused(String why) {
    return new RequestException(Code.FILTER, why);
  }
}
