package io.ishbase.it.metamorphic;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** HBase's filter language, with names for filters that it lacks. */
final class FilterNames {
  private static final List<Class<?>> NAMES =
      List.of(Fuzzy.class, Ranges.class, HintedTimestamps.class, ColumnsFrom.class, Lengths.class);

  static {
    NAMES.forEach(name -> ParseFilter.registerFilter(name.getSimpleName(), name.getName()));
  }

  private FilterNames() {}

  /**
   * @throws IllegalArgumentException if it is no filter
   */
  static Filter parse(String text) {
    try {
      return new ParseFilter().parseFilterString(text);
    } catch (CharacterCodingException | RuntimeException e) {
      throw new IllegalArgumentException("No filter: " + text, e);
    }
  }

  private static List<String> unquoted(List<byte[]> arguments) {
    return arguments.stream()
        .map(ParseFilter::removeQuotesFromByteArray)
        .map(argument -> new String(argument, StandardCharsets.UTF_8))
        .toList();
  }

  /** Fuzzy('row0?1'): a question mark stands for any byte. */
  public static final class Fuzzy {
    private Fuzzy() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> arguments) {
      List<Pair<byte[], byte[]>> keys = new ArrayList<>();
      for (String key : unquoted(arguments)) {
        byte[] mask = new byte[key.length()];
        for (int i = 0; i < mask.length; i++) {
          mask[i] = (byte) (key.charAt(i) == '?' ? 1 : 0);
        }
        keys.add(new Pair<>(Bytes.toBytes(key), mask));
      }
      return new FuzzyRowFilter(keys);
    }
  }

  /** Ranges('row001', 'row003', 'row007', 'row009'): rows from one to before the next. */
  public static final class Ranges {
    private Ranges() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> arguments) {
      List<String> rows = unquoted(arguments);
      List<RowRange> ranges = new ArrayList<>();
      for (int i = 0; i < rows.size(); i += 2) {
        ranges.add(new RowRange(rows.get(i), true, rows.get(i + 1), false));
      }
      return new MultiRowRangeFilter(ranges);
    }
  }

  /** HintedTimestamps(@1, @3): a TimestampsFilter that seeks. */
  public static final class HintedTimestamps {
    private HintedTimestamps() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> arguments) {
      return new TimestampsFilter(
          arguments.stream().map(ParseFilter::convertByteArrayToLong).toList(), true);
    }
  }

  /** ColumnsFrom(2, 'q1'): so many columns from one on. */
  public static final class ColumnsFrom {
    private ColumnsFrom() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> arguments) {
      return new ColumnPaginationFilter(
          ParseFilter.convertByteArrayToInt(arguments.get(0)),
          ParseFilter.removeQuotesFromByteArray(arguments.get(1)));
    }
  }

  /** Lengths(): of values, in their stead. */
  public static final class Lengths {
    private Lengths() {}

    public static Filter createFilterFromArguments(ArrayList<byte[]> arguments) {
      if (!arguments.isEmpty()) {
        throw new IllegalArgumentException("Lengths() takes no argument");
      }
      return new KeyOnlyFilter(true);
    }
  }
}
