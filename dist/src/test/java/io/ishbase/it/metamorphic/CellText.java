package io.ishbase.it.metamorphic;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A cell, a column, a family, or a time of them, as text: {@code f}, {@code f:q}, {@code f:q@5},
 * {@code f:q@5=v}.
 *
 * @param qualifier null: of a whole family
 * @param time in the file's own time ({@link FileTime}); null: none is named
 * @param value null: none is named
 */
record CellText(String family, String qualifier, Integer time, String value) {
  private static final Pattern TEXT =
      Pattern.compile("([a-z]+)(?::([a-z0-9]+))?(?:@(-?\\d+))?(?:=([a-z0-9]*))?");

  /**
   * @throws IllegalArgumentException if it is none
   */
  static CellText of(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("No cell or column: " + text);
    }
    return new CellText(
        matcher.group(1),
        matcher.group(2),
        matcher.group(3) == null ? null : Integer.valueOf(matcher.group(3)),
        matcher.group(4));
  }

  byte[] familyBytes() {
    return Bytes.toBytes(family);
  }

  byte[] qualifierBytes() {
    return Bytes.toBytes(needed(qualifier, "qualifier"));
  }

  byte[] valueBytes() {
    return Bytes.toBytes(needed(value, "value"));
  }

  /** The timestamp of its time. */
  long timestamp(FileTime clock) {
    return clock.timestamp(needed(time, "time"));
  }

  private <T> T needed(T part, String name) {
    if (part == null) {
      throw new IllegalArgumentException("A " + name + " is missing: " + this);
    }
    return part;
  }

  @Override
  public String toString() {
    return family
        + (qualifier == null ? "" : ":" + qualifier)
        + (time == null ? "" : "@" + time)
        + (value == null ? "" : "=" + value);
  }
}
