package io.ishbase.protocol;

import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;

/**
 * The cells of one answer, in the order in which the request's files merge. Per cell:
 *
 * <pre>
 *   varint  file index    which of the request's files the cell comes from
 *   varint  sequence id   as HBase's merge sees it: a bulk-loaded file's cells carry the file's
 *   varint  n
 *   n bytes               the cell in KeyValue format, with tags
 * </pre>
 *
 * HBase's own cell codecs drop the sequence id, and none carries the file, which decides between
 * two cells that are equal in all else.
 */
public final class CellBatch {
  private CellBatch() {}

  /** The checksum that travels with a batch. */
  public static int crc32c(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /** Collects cells into a growing array. For use by one thread. */
  public static final class Encoder {
    private static final int MAX_HEADER_BYTES = 5 + 10 + 5;

    private byte[] bytes;
    private int size;
    private int count;

    public Encoder(int initialBytes) {
      bytes = new byte[initialBytes];
    }

    /** Appends a copy of {@code cell}. */
    public void add(int file, ExtendedCell cell) {
      int length = cell.getSerializedSize(true);
      ensure(MAX_HEADER_BYTES + length);
      putVarint(file);
      putVarint(cell.getSequenceId());
      putVarint(length);
      // Not cell.write(ByteBuffer, int): the cells of data block encodings do not implement it.
      size = KeyValueUtil.appendToByteArray(cell, bytes, size, true);
      count++;
    }

    /** Bytes encoded so far. */
    public int size() {
      return size;
    }

    /** Cells encoded so far. */
    public int count() {
      return count;
    }

    /** The array behind the batch; its first {@link #size()} bytes count. Not a copy. */
    public byte[] array() {
      return bytes;
    }

    private void ensure(int more) {
      if (bytes.length - size < more) {
        bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
      }
    }

    private void putVarint(long value) {
      while ((value & ~0x7fL) != 0) {
        bytes[size++] = (byte) (value | 0x80);
        value >>>= 7;
      }
      bytes[size++] = (byte) value;
    }
  }

  /** Walks over the cells of a batch. The cells share the batch's array. For use by one thread. */
  public static final class Decoder {
    private final byte[] bytes;
    private int position;
    private int file;

    public Decoder(byte[] bytes) {
      this.bytes = bytes;
    }

    public boolean hasNext() {
      return position < bytes.length;
    }

    /**
     * The next cell.
     *
     * @throws IOException if the bytes are not a batch
     */
    public KeyValue next() throws IOException {
      file = (int) varint();
      long sequenceId = varint();
      long length = varint();
      if (length < KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE || length > bytes.length - position) {
        throw new IOException(
            "Cell of " + length + " bytes at " + position + " of " + bytes.length);
      }
      KeyValue cell;
      try {
        // Checks that none of the lengths inside the cell points outside of it.
        cell = new KeyValue(bytes, position, (int) length);
      } catch (IllegalArgumentException e) {
        throw new IOException("Malformed cell at " + position + ": " + e.getMessage(), e);
      }
      cell.setSequenceId(sequenceId);
      position += (int) length;
      return cell;
    }

    /** The file index of the cell that {@link #next()} returned last. */
    public int file() {
      return file;
    }

    private long varint() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 64 && position < bytes.length; shift += 7) {
        byte b = bytes[position++];
        value |= (b & 0x7fL) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw new IOException("Malformed number at " + position);
    }
  }
}
