package io.ishbase.core.trace;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Rows as printable text, as HBase's shell and logs have it: a backslash and what is not printable
 * ASCII is {@code \\xHH}.
 */
public final class RowText {
  private static final String HEX = "0123456789ABCDEF";

  private RowText() {}

  /** Printable text of bytes that are a char each. */
  public static String escaped(String bytes) {
    StringBuilder text = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      char each = bytes.charAt(i);
      if (each >= ' ' && each <= '~' && each != '\\') {
        text.append(each);
      } else {
        text.append("\\x").append(HEX.charAt(each >> 4 & 15)).append(HEX.charAt(each & 15));
      }
    }
    return text.toString();
  }

  /** Printable text of a name of any chars: that of its bytes in UTF-8. */
  public static String escapedName(String name) {
    return escaped(new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
  }

  /** The name of printable text; what is not UTF-8 has a char for each byte. */
  public static String name(String escaped) {
    String bytes = bytes(escaped);
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      return bytes;
    }
  }

  /** The bytes, a char each, of printable text. A backslash that begins nothing is itself. */
  public static String bytes(String escaped) {
    if (escaped.indexOf('\\') < 0) {
      return escaped;
    }
    StringBuilder bytes = new StringBuilder(escaped.length());
    int at = 0;
    while (at < escaped.length()) {
      int value = escaped.startsWith("\\x", at) ? hex(escaped, at + 2) : -1;
      bytes.append(value < 0 ? escaped.charAt(at) : (char) value);
      at += value < 0 ? 1 : 4;
    }
    return bytes.toString();
  }

  /** The byte of two digits, or -1. */
  public static int hex(String text, int at) {
    if (at + 2 > text.length()) {
      return -1;
    }
    int high = Character.digit(text.charAt(at), 16);
    int low = Character.digit(text.charAt(at + 1), 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }
}
