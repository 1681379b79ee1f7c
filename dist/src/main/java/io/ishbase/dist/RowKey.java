package io.ishbase.dist;

import org.apache.hadoop.hbase.HConstants;

/** A row as the command line writes it; bytes that cannot be printed are {@code \xHH}. */
final class RowKey {
  /** What it is, in messages. */
  static final String WHAT = "row's name";

  private RowKey() {}

  /**
   * The row that {@code text} names.
   *
   * @throws CliException if no row can have that name
   */
  static byte[] of(String text) {
    byte[] row = BinaryText.of(WHAT, text);
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
