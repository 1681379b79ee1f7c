package io.ishbase.plugin.local;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FirstKeyValueMatchingQualifiersFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** HBase's filters that its filter language lacks, by names of our own. */
final class MoreFilters {
  private MoreFilters() {}

  static void register() {
    for (Class<?> each :
        List.of(
            Fuzzy.class,
            Prefix.class,
            Ranges.class,
            HintedTimestamps.class,
            ColumnsFrom.class,
            ColumnValue.class,
            AnyVersion.class,
            Lengths.class,
            FirstMatching.class)) {
      ParseFilter.registerFilter(each.getSimpleName(), each.getName());
    }
  }

  private static List<byte[]> unquoted(List<byte[]> arguments) {
    return arguments.stream().map(ParseFilter::removeQuotesFromByteArray).toList();
  }

  /** Fuzzy('r?1', 'r2?'): question marks stand for any byte. */
  public static final class Fuzzy {
    private Fuzzy() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      List<Pair<byte[], byte[]>> keys = new ArrayList<>();
      for (byte[] argument : arguments) {
        byte[] mask = new byte[argument.length];
        for (int i = 0; i < mask.length; i++) {
          mask[i] = (byte) (argument[i] == '?' ? 1 : 0);
        }
        keys.add(new Pair<>(argument, mask));
      }
      return new FuzzyRowFilter(keys);
    }
  }

  /** Prefix('r\x00'): of any bytes. */
  public static final class Prefix {
    private Prefix() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      return new PrefixFilter(Bytes.toBytesBinary(Bytes.toString(unquoted(quoted).get(0))));
    }
  }

  /** Ranges('r1', 'r2', 'r4', 'r5'): from the first to the second, and so on. */
  public static final class Ranges {
    private Ranges() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      List<RowRange> ranges = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i += 2) {
        ranges.add(new RowRange(arguments.get(i), true, arguments.get(i + 1), i % 4 == 0));
      }
      return new MultiRowRangeFilter(ranges);
    }
  }

  /** HintedTimestamps('1', '3'). */
  public static final class HintedTimestamps {
    private HintedTimestamps() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      List<Long> timestamps = new ArrayList<>();
      arguments.forEach(argument -> timestamps.add(Long.parseLong(Bytes.toString(argument))));
      return new TimestampsFilter(timestamps, true);
    }
  }

  /** ColumnsFrom('2', 'q1'): so many columns from one on. */
  public static final class ColumnsFrom {
    private ColumnsFrom() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      return new ColumnPaginationFilter(
          Integer.parseInt(Bytes.toString(arguments.get(0))), arguments.get(1));
    }
  }

  /** ColumnValue('q1', 'v3'). */
  public static final class ColumnValue {
    private ColumnValue() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      return new ColumnValueFilter(
          Bytes.toBytes("f"), arguments.get(0), CompareOperator.GREATER, arguments.get(1));
    }
  }

  /** AnyVersion('q1', 'v3'): rows of which some version is less. */
  public static final class AnyVersion {
    private AnyVersion() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      SingleColumnValueFilter filter =
          new SingleColumnValueFilter(
              Bytes.toBytes("f"), arguments.get(0), CompareOperator.LESS, arguments.get(1));
      filter.setLatestVersionOnly(false);
      filter.setFilterIfMissing(true);
      return filter;
    }
  }

  /** Lengths(): of values, in their stead. */
  public static final class Lengths {
    private Lengths() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      return new KeyOnlyFilter(arguments.isEmpty());
    }
  }

  /** FirstMatching('q1', 'q3'). */
  public static final class FirstMatching {
    private FirstMatching() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> quoted) {
      List<byte[]> arguments = unquoted(quoted);
      TreeSet<byte[]> qualifiers = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      qualifiers.addAll(arguments);
      return new FirstKeyValueMatchingQualifiersFilter(qualifiers);
    }
  }
}
