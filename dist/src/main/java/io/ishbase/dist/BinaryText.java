package io.ishbase.dist;

import java.util.regex.Pattern;
import org.apache.hadoop.hbase.util.Bytes;

/** Bytes as the command line writes them; those that cannot be printed are {@code \xHH}. */
final class BinaryText {
  /** What HBase would silently make something else of. */
  private static final Pattern UNSOUND = Pattern.compile("\\\\x(?![0-9A-F]{2})|\\P{ASCII}");

  private BinaryText() {}

  /**
   * The bytes that {@code text} writes.
   *
   * @param what they are, for the message
   * @throws CliException if it writes none
   */
  static byte[] of(String what, String text) {
    if (UNSOUND.matcher(text).find()) {
      throw new CliException(
          "'"
              + text
              + "' is no "
              + what
              + ": what is not ASCII is written byte by byte, \\x00 to \\xFF");
    }
    return Bytes.toBytesBinary(text);
  }
}
