package io.ishbase.protocol;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The cells of one answer, in the order in which the request's files merge. Per cell:
 *
 * <pre>
 *   varint  4 * file index + gap
 *                         which of the request's files the cell comes from, and what follows it
 *   varint  sequence id   as HBase's merge sees it: a bulk-loaded file's cells carry the file's
 *   varint  n
 *   n bytes               the cell in KeyValue format, with tags
 * </pre>
 *
 * HBase's own cell codecs drop the sequence id, and none carries the file, which decides between
 * two cells that are equal in all else.
 */
public final class CellBatch {
  private static final int GAP_BITS = 2;

  /** Three numbers of a byte each, and a cell with nothing in it. */
  private static final int MIN_CELL_BYTES =
      3 + KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE + KeyValue.KEY_INFRASTRUCTURE_SIZE;

  /** What follows a cell, beside the next one. */
  public enum Gap {
    NONE,
    COLUMN,
    ROW;

    private static final Gap[] VALUES = values();
  }

  private CellBatch() {}

  /** How many cells a batch of that size may hold. */
  public static int maxCells(int bytes) {
    return bytes / MIN_CELL_BYTES;
  }

  /** Collects cells into a growing array. For use by one thread. */
  public static final class Encoder {
    private static final int MAX_HEADER_BYTES = 5 + 10 + 5;

    private byte[] bytes;
    private int size;

    /** Where the cells begin. */
    private int[] starts = new int[16];

    private int count;

    public Encoder(int initialBytes) {
      bytes = new byte[initialBytes];
    }

    /** Appends a copy of {@code cell}. */
    public void add(int file, ExtendedCell cell) {
      int length = cell.getSerializedSize(true);
      begin(file, cell.getSequenceId(), length);
      // Not cell.write(ByteBuffer, int): the cells of data block encodings do not implement it.
      size = KeyValueUtil.appendToByteArray(cell, bytes, size, true);
    }

    /** Appends a copy of {@code cell} without its value. */
    public void addWithoutValue(int file, ExtendedCell cell) {
      int keyLength = KeyValueUtil.keyLength(cell);
      int tagsLength = cell.getTagsLength();
      int length =
          KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE
              + keyLength
              + (tagsLength == 0 ? 0 : KeyValue.TAGS_LENGTH_SIZE + tagsLength);
      begin(file, cell.getSequenceId(), length);
      size = Bytes.putInt(bytes, size, keyLength);
      size = Bytes.putInt(bytes, size, 0);
      size = KeyValueUtil.appendKeyTo(cell, bytes, size);
      if (tagsLength > 0) {
        size = Bytes.putAsShort(bytes, size, tagsLength);
        size = PrivateCellUtil.copyTagsTo(cell, bytes, size);
      }
    }

    private void begin(int file, long sequenceId, int length) {
      ensure(MAX_HEADER_BYTES + length);
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = size;
      putVarint((long) file << GAP_BITS);
      putVarint(sequenceId);
      putVarint(length);
    }

    /** Says what follows the last cell. Of two gaps behind one cell the wider one counts. */
    public void markGap(Gap gap) {
      int head = bytes[starts[count - 1]];
      int mask = (1 << GAP_BITS) - 1;
      bytes[starts[count - 1]] = (byte) (head & ~mask | Math.max(head & mask, gap.ordinal()));
    }

    /** Takes out cells from the index {@code from} on: those for which {@code isOut} holds. */
    public void removeIf(int from, IntPredicate isOut) {
      int end = size;
      int cells = count;
      if (from >= cells) {
        return;
      }
      size = starts[from];
      count = from;
      for (int cell = from; cell < cells; cell++) {
        int start = starts[cell];
        int length = (cell + 1 < cells ? starts[cell + 1] : end) - start;
        if (!isOut.test(cell)) {
          System.arraycopy(bytes, start, bytes, size, length);
          starts[count++] = size;
          size += length;
        }
      }
    }

    /** Drops all cells from the index {@code count} on. */
    public void truncate(int count) {
      if (count < this.count) {
        size = starts[count];
        this.count = count;
      }
    }

    /** Where the cell of that index begins among the bytes, or the end if there is none. */
    public int start(int cell) {
      return cell < count ? starts[cell] : size;
    }

    /** A decoder of the cells from the index {@code cell} on. */
    public Decoder decoder(int cell) {
      return new Decoder(bytes, start(cell), size);
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
    private final int end;
    private int position;
    private int file;
    private Gap gap = Gap.NONE;

    public Decoder(byte[] bytes) {
      this(bytes, 0, bytes.length);
    }

    Decoder(byte[] bytes, int begin, int end) {
      this.bytes = bytes;
      this.position = begin;
      this.end = end;
    }

    public boolean hasNext() {
      return position < end;
    }

    /**
     * The next cell.
     *
     * @throws IOException if the bytes are not a batch
     */
    public KeyValue next() throws IOException {
      long head = varint();
      file = (int) (head >>> GAP_BITS);
      int gapOrdinal = (int) (head & ((1 << GAP_BITS) - 1));
      if (gapOrdinal >= Gap.VALUES.length) {
        throw new IOException("No such gap: " + gapOrdinal);
      }
      gap = Gap.VALUES[gapOrdinal];
      long sequenceId = varint();
      long length = varint();
      if (length < KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE || length > end - position) {
        throw new IOException("Cell of " + length + " bytes at " + position + " of " + end);
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

    /** What follows the cell that {@link #next()} returned last. */
    public Gap gap() {
      return gap;
    }

    private long varint() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 64 && position < end; shift += 7) {
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
