package io.ishbase.archetypes.graph;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * How large what users give may be, in bytes of UTF-8. A row key of HBase has 32,767 bytes at most,
 * and the key of an edge, in which every zero byte takes two, consists of two ids and a label.
 */
public final class Limits {
  /** The id of a vertex. */
  public static final int ID_BYTES = 4096;

  /** A label. */
  public static final int LABEL_BYTES = 1024;

  /** The properties of a vertex or of an edge, as they are stored. HBase's clients refuse 10 MB. */
  public static final int PROPERTIES_BYTES = 1 << 20;

  private Limits() {}

  static byte[] id(String id) {
    return bytes("The id of a vertex", id, ID_BYTES);
  }

  static byte[] label(String label) {
    return bytes("A label", label, LABEL_BYTES);
  }

  private static byte[] bytes(String what, String text, int limit) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(what + " is empty");
    }
    byte[] bytes = utf8(what, text);
    if (bytes.length > limit) {
      throw new IllegalArgumentException(
          what + " has " + bytes.length + " bytes, " + limit + " are allowed");
    }
    return bytes;
  }

  /**
   * Unlike {@code String.getBytes} it refuses halves of surrogate pairs, all of which look alike.
   */
  static byte[] utf8(String what, String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(what + " is no text: " + text, e);
    }
  }
}
