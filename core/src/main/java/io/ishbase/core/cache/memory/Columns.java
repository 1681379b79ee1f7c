package io.ishbase.core.cache.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of columns: intervals of qualifiers, ascending, none of them empty, and no two that touch.
 * A single column is the interval up to the next possible qualifier. Immutable.
 *
 * <p>Encoded, each interval is: length of its begin (2), length of its end (2), begin, end. Of an
 * interval without an end, and of a single column, the end's length says so, and the end is left
 * out.
 */
public final class Columns {
  /** Length of the longest qualifier that an interval may begin or end with, to be cached. */
  public static final int MAX_BOUND_BYTES = Short.MAX_VALUE;

  /** All columns. */
  public static final Columns ALL = new Columns(List.of(new Interval(new byte[0], null)));

  private static final int NO_END = 0xffff;
  private static final int SINGLE = 0xfffe;

  /**
   * @param from inclusive
   * @param to exclusive; null: there is no end
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Interval(byte[] from, byte @Nullable [] to) {
    boolean isSingle() {
      return to != null && to.length == from.length + 1 && Arrays.equals(to, Keys.after(from));
    }

    boolean endsBefore(byte[] column) {
      return to != null && Keys.compare(to, column) < 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Interval interval
          && Arrays.equals(from, interval.from)
          && Arrays.equals(to, interval.to);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
    }

    boolean contains(byte[] column) {
      return Keys.compare(from, column) <= 0 && (to == null || Keys.compare(column, to) < 0);
    }
  }

  private final List<Interval> intervals;

  private Columns(List<Interval> intervals) {
    this.intervals = intervals;
  }

  /** Single columns, in any order. */
  public static Columns of(byte[]... columns) {
    return of(Arrays.asList(columns));
  }

  /** Single columns, in any order. */
  public static Columns of(Iterable<byte[]> columns) {
    List<Interval> singles = new ArrayList<>();
    columns.forEach(column -> singles.add(new Interval(column, Keys.after(column))));
    return joined(singles);
  }

  /**
   * An interval.
   *
   * @param from inclusive; empty: from the first column on
   * @param to exclusive; null: up to the last column
   */
  public static Columns between(byte[] from, byte @Nullable [] to) {
    return joined(List.of(new Interval(from, to)));
  }

  /** The columns that begin with {@code prefix}. */
  public static Columns withPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xff) {
      length--;
    }
    byte[] behind = null;
    if (length > 0) {
      behind = Arrays.copyOf(prefix, length);
      behind[length - 1]++;
    }
    return between(prefix, behind);
  }

  private static Columns joined(List<Interval> some) {
    List<Interval> sorted = new ArrayList<>(some);
    sorted.sort((a, b) -> Keys.compare(a.from, b.from));
    List<Interval> joined = new ArrayList<>(sorted.size());
    for (Interval next : sorted) {
      Interval last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (next.to != null && Keys.compare(next.from, next.to) >= 0) {
        continue;
      }
      if (last == null || last.endsBefore(next.from)) {
        joined.add(next);
      } else if (last.to != null && (next.to == null || Keys.compare(next.to, last.to) > 0)) {
        joined.set(joined.size() - 1, new Interval(last.from, next.to));
      }
    }
    return new Columns(joined);
  }

  /** The columns of both. */
  public Columns union(Columns other) {
    return union(List.of(this, other));
  }

  /** The columns of all these. */
  public static Columns union(Iterable<Columns> some) {
    List<Interval> all = new ArrayList<>();
    some.forEach(each -> all.addAll(each.intervals));
    return joined(all);
  }

  /** The columns that both have. */
  public Columns intersect(Columns other) {
    List<Interval> common = new ArrayList<>();
    int next = 0;
    int nextOfOther = 0;
    while (next < intervals.size() && nextOfOther < other.intervals.size()) {
      Interval a = intervals.get(next);
      Interval b = other.intervals.get(nextOfOther);
      boolean endsFirst = b.to == null || a.to != null && Keys.compare(a.to, b.to) < 0;
      common.add(
          new Interval(
              Keys.compare(a.from, b.from) < 0 ? b.from : a.from, endsFirst ? a.to : b.to));
      if (endsFirst) {
        next++;
      } else {
        nextOfOther++;
      }
    }
    return joined(common);
  }

  public boolean isEmpty() {
    return intervals.isEmpty();
  }

  /** Whether these are all columns. */
  public boolean isAll() {
    return intervals.size() == 1
        && intervals.get(0).from.length == 0
        && intervals.get(0).to == null;
  }

  public boolean contains(byte[] column) {
    int low = 0;
    int high = intervals.size() - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      Interval interval = intervals.get(middle);
      if (interval.contains(column)) {
        return true;
      }
      if (Keys.compare(column, interval.from) < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return false;
  }

  /** How many intervals these are. */
  public int count() {
    return intervals.size();
  }

  /** The columns one by one, ascending; null if they cannot be named. */
  public @Nullable List<byte[]> singles() {
    return intervals.stream().allMatch(Interval::isSingle)
        ? intervals.stream().map(Interval::from).toList()
        : null;
  }

  /**
   * Where an interval begins, inclusive.
   *
   * @param index below {@link #count}
   */
  public byte[] from(int index) {
    return intervals.get(index).from;
  }

  /**
   * Where an interval ends, exclusive; null: it has no end.
   *
   * @param index below {@link #count}
   */
  public byte @Nullable [] to(int index) {
    return intervals.get(index).to;
  }

  /** Whether an entry can say that it is of these columns. */
  public boolean isEncodable() {
    for (Interval interval : intervals) {
      if (interval.from.length > MAX_BOUND_BYTES
          || interval.to != null && interval.to.length > MAX_BOUND_BYTES) {
        return false;
      }
    }
    return true;
  }

  byte[] encode() {
    int bytes = 0;
    for (Interval interval : intervals) {
      bytes += 2 * Short.BYTES + interval.from.length + endBytes(interval).length;
    }
    ByteBuffer encoded = ByteBuffer.allocate(bytes);
    for (Interval interval : intervals) {
      byte[] end = endBytes(interval);
      int endLength = interval.to == null ? NO_END : interval.isSingle() ? SINGLE : end.length;
      encoded.putShort((short) interval.from.length).putShort((short) endLength);
      encoded.put(interval.from).put(end);
    }
    return encoded.array();
  }

  private static byte[] endBytes(Interval interval) {
    return interval.to == null || interval.isSingle() ? new byte[0] : interval.to;
  }

  static Columns decode(ByteBuffer buffer, int offset, int length) {
    List<Interval> intervals = new ArrayList<>();
    for (int at = offset; at < offset + length; at += encodedBytes(buffer, at)) {
      byte[] from = new byte[fromLength(buffer, at)];
      buffer.get(at + 2 * Short.BYTES, from);
      byte[] to = null;
      int toLength = toLength(buffer, at);
      if (toLength == SINGLE) {
        to = Keys.after(from);
      } else if (toLength != NO_END) {
        to = new byte[toLength];
        buffer.get(at + 2 * Short.BYTES + from.length, to);
      }
      intervals.add(new Interval(from, to));
    }
    return new Columns(intervals);
  }

  /** Whether an encoded set has all of these columns. */
  boolean areIn(ByteBuffer buffer, int offset, int length) {
    int at = offset;
    int end = offset + length;
    for (Interval interval : intervals) {
      while (at < end && compareToEnd(interval.from, buffer, at) >= 0) {
        at += encodedBytes(buffer, at);
      }
      if (at >= end
          || compareToBegin(interval.from, buffer, at) < 0
          || (interval.to == null
              ? toLength(buffer, at) != NO_END
              : compareToEnd(interval.to, buffer, at) > 0)) {
        return false;
      }
    }
    return true;
  }

  private static int fromLength(ByteBuffer buffer, int at) {
    return buffer.getShort(at) & 0xffff;
  }

  private static int toLength(ByteBuffer buffer, int at) {
    return buffer.getShort(at + Short.BYTES) & 0xffff;
  }

  private static int encodedBytes(ByteBuffer buffer, int at) {
    int toLength = toLength(buffer, at);
    return 2 * Short.BYTES + fromLength(buffer, at) + (toLength >= SINGLE ? 0 : toLength);
  }

  private static int compareToBegin(byte[] column, ByteBuffer buffer, int at) {
    return Keys.compare(column, buffer, at + 2 * Short.BYTES, fromLength(buffer, at));
  }

  private static int compareToEnd(byte[] column, ByteBuffer buffer, int at) {
    int toLength = toLength(buffer, at);
    if (toLength == NO_END) {
      return -1;
    }
    if (toLength == SINGLE) {
      int order = compareToBegin(column, buffer, at);
      return order <= 0 ? -1 : isAfter(column, buffer, at) ? 0 : 1;
    }
    return Keys.compare(column, buffer, at + 2 * Short.BYTES + fromLength(buffer, at), toLength);
  }

  /** Whether nothing lies between where the interval begins and the column. */
  private static boolean isAfter(byte[] column, ByteBuffer buffer, int at) {
    int length = fromLength(buffer, at);
    if (column.length != length + 1 || column[length] != 0) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (column[i] != buffer.get(at + 2 * Short.BYTES + i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Columns columns && intervals.equals(columns.intervals);
  }

  @Override
  public int hashCode() {
    return intervals.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder words = new StringBuilder();
    for (Interval interval : intervals) {
      words.append(words.isEmpty() ? "" : " ").append(text(interval.from));
      if (!interval.isSingle()) {
        words.append("..").append(interval.to == null ? "" : text(interval.to));
      }
    }
    return words.toString();
  }

  private static String text(byte[] column) {
    StringBuilder text = new StringBuilder();
    for (byte b : column) {
      text.append(b > ' ' && b < 127 ? String.valueOf((char) b) : String.format("\\x%02X", b));
    }
    return text.toString();
  }
}
