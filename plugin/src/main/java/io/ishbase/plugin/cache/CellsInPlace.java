package io.ishbase.plugin.cache;

import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the cells of a row that is held as it is ({@link RowCodec}), where it lies. They are
 * good as long as the pin under which the row was found, so nobody who may keep a cell is shown
 * one. For use by one thread.
 */
final class CellsInPlace implements RowCells {
  /** Of the lengths of key and value. */
  private static final int LENGTHS_BYTES = KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE;

  /** Of a key beside row, family and qualifier. */
  private static final int KEY_BYTES = KeyValue.KEY_INFRASTRUCTURE_SIZE;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final long readPoint;
  private ByteBuffer buffer = NOTHING;
  private int position;
  private int end;

  /**
   * Of no row yet.
   *
   * @param readPoint cells of a greater sequence id are passed over
   */
  CellsInPlace(long readPoint) {
    this.readPoint = readPoint;
  }

  /**
   * Goes to the first cell of a row.
   *
   * @param in is read from absolute places only
   */
  CellsInPlace of(ByteBuffer in, int offset, int length) {
    buffer = in;
    position = offset;
    end = offset + length;
    return this;
  }

  @Override
  public @Nullable ExtendedCell next() {
    while (position < end) {
      varint(); // file and gap
      long sequenceId = varint();
      long length = varint();
      int at = position;
      if (length < LENGTHS_BYTES + KEY_BYTES || length > end - at) {
        throw malformed(at);
      }
      position += (int) length;
      if (sequenceId <= readPoint) {
        check(at, (int) length);
        return new ByteBufferKeyValue(buffer, at, (int) length, sequenceId);
      }
    }
    return null;
  }

  /** That no length inside the cell points out of it: HBase reads without looking. */
  private void check(int at, int length) {
    int key = buffer.getInt(at);
    int value = buffer.getInt(at + Integer.BYTES);
    int row = buffer.getShort(at + LENGTHS_BYTES);
    long tags = length - LENGTHS_BYTES - (long) key - value;
    if (key < KEY_BYTES || value < 0 || tags < 0 || row < 0 || row > key - KEY_BYTES) {
      throw malformed(at);
    }
    int family = buffer.get(at + LENGTHS_BYTES + Short.BYTES + row);
    int tagsAt = at + LENGTHS_BYTES + key + value;
    if (family < 0
        || row + family > key - KEY_BYTES
        || tags != 0
            && (tags < Short.BYTES
                || (buffer.getShort(tagsAt) & 0xffff) != (int) tags - Short.BYTES)) {
      throw malformed(at);
    }
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && position < end; shift += 7) {
      byte b = buffer.get(position++);
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw malformed(position);
  }

  private static IllegalStateException malformed(int at) {
    return new IllegalStateException("A row of this process's cache, malformed at " + at);
  }
}
