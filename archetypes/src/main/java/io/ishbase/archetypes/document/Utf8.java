package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.DocumentException.Problem;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** UTF-8 that refuses what Java would silently replace. */
final class Utf8 {
  private Utf8() {}

  /**
   * The bytes of {@code text}.
   *
   * @throws DocumentException with {@code problem} if it has an unpaired surrogate
   */
  static byte[] encode(String text, Problem problem) {
    try {
      ByteBuffer buffer = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new DocumentException(problem, "An unpaired surrogate in '" + shown(text) + "'", e);
    }
  }

  static String decode(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.UTF_8);
  }

  /** As much of {@code text} as a message needs. */
  static String shown(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }
}
