package io.ishbase.archetypes.graph;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Writes keys of several parts that sort, as bytes, by their first part, then by their second, and
 * so on. Text ends with {@code 00 01}; a zero byte in it becomes {@code 00 FF}, so that no text's
 * encoding is the beginning of another's. Numbers have their sign bit turned.
 */
final class KeyWriter {
  static final byte ESCAPED = (byte) 0xFF;
  static final byte END = 1;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  KeyWriter tag(byte tag) {
    bytes.write(tag);
    return this;
  }

  KeyWriter text(byte[] utf8) {
    for (byte each : utf8) {
      bytes.write(each);
      if (each == 0) {
        bytes.write(ESCAPED);
      }
    }
    bytes.write(0);
    bytes.write(END);
    return this;
  }

  KeyWriter number(long number) {
    bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array());
    return this;
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }

  /**
   * The least key behind all that begin with {@code prefix}.
   *
   * @throws IllegalArgumentException if it consists of {@code FF} alone: there is none
   */
  static byte[] after(byte[] prefix) {
    for (int last = prefix.length - 1; last >= 0; last--) {
      if (prefix[last] != (byte) 0xFF) {
        byte[] after = Arrays.copyOf(prefix, last + 1);
        after[last]++;
        return after;
      }
    }
    throw new IllegalArgumentException("No key lies behind all of that prefix");
  }
}
