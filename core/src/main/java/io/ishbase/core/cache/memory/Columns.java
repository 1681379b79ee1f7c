package io.ishbase.core.cache.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The encoding of a sorted set of columns: for each its length in two bytes and its qualifier. */
final class Columns {
  private Columns() {}

  static byte[] encode(byte[][] columns) {
    int bytes = 0;
    for (byte[] column : columns) {
      bytes += Short.BYTES + column.length;
    }
    ByteBuffer encoded = ByteBuffer.allocate(bytes);
    for (byte[] column : columns) {
      encoded.putShort((short) column.length).put(column);
    }
    return encoded.array();
  }

  static byte[][] decode(ByteBuffer buffer, int offset, int length) {
    List<byte[]> columns = new ArrayList<>();
    int at = offset;
    while (at < offset + length) {
      byte[] column = new byte[buffer.getShort(at) & 0xffff];
      buffer.get(at + Short.BYTES, column);
      columns.add(column);
      at += Short.BYTES + column.length;
    }
    return columns.toArray(byte[][]::new);
  }

  /** Whether the encoded set has all of these columns. */
  static boolean containsAll(ByteBuffer buffer, int offset, int length, byte[][] columns) {
    int at = offset;
    int end = offset + length;
    for (byte[] column : columns) {
      int comparison = 1;
      while (at < end && comparison > 0) {
        int size = buffer.getShort(at) & 0xffff;
        comparison = Keys.compare(column, buffer, at + Short.BYTES, size);
        if (comparison >= 0) {
          at += Short.BYTES + size;
        }
      }
      if (comparison != 0) {
        return false;
      }
    }
    return true;
  }
}
