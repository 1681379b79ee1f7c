package io.ishbase.dist;

import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;

/** A row as the command line writes it; bytes that cannot be printed are {@code \xHH}. */
final class RowKey {
  /** What HBase would silently make something else of. */
  private static final Pattern UNSOUND = Pattern.compile("\\\\x(?![0-9A-F]{2})|\\P{ASCII}");

  private RowKey() {}

  /**
   * The row that {@code text} names.
   *
   * @throws CliException if no row can have that name
   */
  static byte[] of(String text) {
    if (UNSOUND.matcher(text).find()) {
      throw new CliException(
          "'"
              + text
              + "' is no row's name: what is not ASCII is written byte by byte, \\x00 to \\xFF");
    }
    byte[] row = Bytes.toBytesBinary(text);
    if (row.length == 0 || row.length > HConstants.MAX_ROW_LENGTH) {
      throw new CliException(
          "A row's name has 1 to "
              + HConstants.MAX_ROW_LENGTH
              + " bytes, not "
              + row.length
              + (row.length == 0 ? ": give it one, or use scan" : ""));
    }
    return row;
  }
}
