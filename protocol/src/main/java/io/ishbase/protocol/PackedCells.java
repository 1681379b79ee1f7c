package io.ishbase.protocol;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A batch in which no cell repeats what it shares with those before it. First what is not values,
 * then all values one after the other, so that a compressor finds like beside like:
 *
 * <pre>
 *   varint n
 *   n bytes   the family (varint length, bytes), then for each cell a byte of flags, and of the
 *             following what its flag does not say:
 *     ROW        the row of the cell before;     else: varint bytes shared with it, varint length
 *                of the first: that asked for    of the rest, the rest
 *     QUALIFIER  the one that followed the       else: varint, the number of a qualifier seen
 *                qualifier before the last time  before, counted from 1; or 0, varint bytes shared
 *                                                with the one before, varint length, the rest
 *     TIME       the timestamp of the one before else: varint, the difference
 *     TYPE       its type                        else: a byte
 *     SEQUENCE   its sequence id                 else: varint, the difference
 *     HEAD       its file and gap                else: varint as in {@link CellBatch}
 *     LENGTH     as many bytes of value as the   else: varint
 *                qualifier had the last time
 *     TAGS       no tags                         else: varint length, bytes
 *   the values
 * </pre>
 *
 * Differences are zigzag coded. The cells of a batch are of one family.
 */
final class PackedCells {
  private static final int ROW = 1;
  private static final int QUALIFIER = 1 << 1;
  private static final int TIME = 1 << 2;
  private static final int TYPE = 1 << 3;
  private static final int SEQUENCE = 1 << 4;
  private static final int HEAD = 1 << 5;
  private static final int LENGTH = 1 << 6;
  private static final int TAGS = 1 << 7;

  private static final int GAP_BITS = 2;

  private PackedCells() {}

  /**
   * Packs a batch.
   *
   * @param size of the batch in the array
   * @param firstRow that it is likely to begin with; the other end knows it, too
   * @return null if it cannot be packed: its cells are of several families
   * @throws IOException if the bytes are not a batch
   */
  static byte @Nullable [] pack(byte[] batch, int size, byte[] firstRow) throws IOException {
    return pack(batch, size, firstRow, ColumnOrder.NONE);
  }

  /**
   * The same.
   *
   * @param order the columns that are likely to come; the other end knows it, too
   */
  static byte @Nullable [] pack(byte[] batch, int size, byte[] firstRow, ColumnOrder order)
      throws IOException {
    return new Packer(size, firstRow, order).pack(new CellBatch.Decoder(batch, 0, size));
  }

  /**
   * What the cells of a batch tell of those that are like them.
   *
   * @throws IOException if the bytes are not a batch
   */
  static ColumnOrder orderOf(byte[] batch, int size) throws IOException {
    Packer packer = new Packer(size, new byte[0], ColumnOrder.NONE);
    packer.pack(new CellBatch.Decoder(batch, 0, size));
    return packer.order();
  }

  /**
   * The batch again, as it was.
   *
   * @param packed its first {@code packedSize} bytes count
   * @param size of the batch
   * @throws IOException if the bytes are not a batch of that size
   */
  static byte[] unpack(byte[] packed, int packedSize, int size, byte[] firstRow)
      throws IOException {
    return unpack(packed, 0, packedSize, size, firstRow, ColumnOrder.NONE);
  }

  /**
   * The same.
   *
   * @param offset of the first byte that counts
   * @param packedEnd behind the last
   * @param order with which the batch was packed
   */
  static byte[] unpack(
      byte[] packed, int offset, int packedEnd, int size, byte[] firstRow, ColumnOrder order)
      throws IOException {
    try {
      return new Unpacker(packed, offset, packedEnd, size, firstRow, order).unpack();
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException("Not a packed batch of " + size + " bytes", e);
    }
  }

  /** What both ends know of the cells so far. */
  private static class State {
    /** Qualifiers that have a number; of very wide rows the others are spelt out. */
    private static final int MAX_QUALIFIERS = 255;

    /** New ones for which there is room at first. */
    private static final int ROOM = 8;

    /** By number; 0 stands for the beginning of a row. */
    byte[][] qualifiers;

    int[] followers;
    int[] lengths;
    int known;

    /** Number of the qualifier before; -1: it has none. */
    int before;

    byte[] row;
    byte[] qualifier = new byte[0];
    long timestamp;
    int type;
    long sequenceId;
    long head;
    int lengthOfUnknown;

    State(byte[] firstRow, ColumnOrder order) {
      row = firstRow;
      known = order.known();
      int size = Math.min(known + ROOM, MAX_QUALIFIERS) + 1;
      qualifiers = Arrays.copyOf(order.qualifiers(), size);
      followers = Arrays.copyOf(order.followers(), size);
      lengths = Arrays.copyOf(order.lengths(), size);
    }

    /** The number of the qualifier that is expected now; 0: none is. */
    int expected() {
      return before < 0 ? 0 : followers[before];
    }

    /** Gives the qualifier a number, if there is one left; else -1. */
    int learn(byte[] bytes) {
      if (known == MAX_QUALIFIERS) {
        return -1;
      }
      if (++known == qualifiers.length) {
        int size = Math.min(2 * known, MAX_QUALIFIERS + 1);
        qualifiers = Arrays.copyOf(qualifiers, size);
        followers = Arrays.copyOf(followers, size);
        lengths = Arrays.copyOf(lengths, size);
      }
      qualifiers[known] = bytes;
      return known;
    }

    /** The qualifier that has come is this one. */
    void came(int number) {
      if (before >= 0 && number >= 0) {
        followers[before] = number;
      }
      before = number;
    }

    int expectedLength() {
      return before < 0 ? lengthOfUnknown : lengths[before];
    }

    void lengthIs(int length) {
      if (before < 0) {
        lengthOfUnknown = length;
      } else {
        lengths[before] = length;
      }
    }
  }

  private static final class Packer extends State {
    private static final int SLOTS = ColumnOrder.SLOTS;

    /** Numbers of qualifiers by their hash, linear probing. Those of the order until one is new. */
    private short[] slots;

    private boolean ownsSlots;
    private byte[] heads = new byte[1024];
    private int headBytes;
    private final byte[] values;
    private int valueBytes;

    Packer(int size, byte[] firstRow, ColumnOrder order) {
      super(firstRow, order);
      slots = order.slots();
      values = new byte[size];
    }

    ColumnOrder order() {
      return new ColumnOrder(known, qualifiers, followers, lengths, slots);
    }

    byte @Nullable [] pack(CellBatch.Decoder cells) throws IOException {
      byte @Nullable [] family = null;
      while (cells.hasNext()) {
        KeyValue cell = cells.next();
        if (family == null) {
          family =
              Arrays.copyOfRange(
                  cell.getFamilyArray(),
                  cell.getFamilyOffset(),
                  cell.getFamilyOffset() + cell.getFamilyLength());
          putBytes(family, 0, family.length);
        } else if (!Bytes.equals(
            family,
            0,
            family.length,
            cell.getFamilyArray(),
            cell.getFamilyOffset(),
            cell.getFamilyLength())) {
          return null;
        }
        add(cell, ((long) cells.file() << GAP_BITS) | cells.gap().ordinal());
      }
      byte[] packed = new byte[5 + headBytes + valueBytes];
      int start = putVarint(packed, 0, headBytes);
      System.arraycopy(heads, 0, packed, start, headBytes);
      System.arraycopy(values, 0, packed, start + headBytes, valueBytes);
      return Arrays.copyOf(packed, start + headBytes + valueBytes);
    }

    private void add(KeyValue cell, long cellHead) {
      int flagsAt = headBytes;
      ensure(1);
      headBytes++;
      int flags = row(cell) | qualifier(cell);
      if (cell.getTimestamp() == timestamp) {
        flags |= TIME;
      } else {
        putVarint(zigzag(cell.getTimestamp() - timestamp));
        timestamp = cell.getTimestamp();
      }
      int cellType = cell.getTypeByte();
      if (cellType == type) {
        flags |= TYPE;
      } else {
        ensure(1);
        heads[headBytes++] = (byte) cellType;
        type = cellType;
      }
      if (cell.getSequenceId() == sequenceId) {
        flags |= SEQUENCE;
      } else {
        putVarint(zigzag(cell.getSequenceId() - sequenceId));
        sequenceId = cell.getSequenceId();
      }
      if (cellHead == head) {
        flags |= HEAD;
      } else {
        putVarint(cellHead);
        head = cellHead;
      }
      int length = cell.getValueLength();
      if (length == expectedLength()) {
        flags |= LENGTH;
      } else {
        putVarint(length);
        lengthIs(length);
      }
      if (cell.getTagsLength() == 0) {
        flags |= TAGS;
      } else {
        putBytes(cell.getTagsArray(), cell.getTagsOffset(), cell.getTagsLength());
      }
      heads[flagsAt] = (byte) flags;
      System.arraycopy(cell.getValueArray(), cell.getValueOffset(), values, valueBytes, length);
      valueBytes += length;
    }

    private int row(KeyValue cell) {
      byte[] array = cell.getRowArray();
      int offset = cell.getRowOffset();
      int length = cell.getRowLength();
      int shared = shared(row, array, offset, length);
      if (shared == row.length && shared == length) {
        return ROW;
      }
      putVarint(shared);
      putBytes(array, offset + shared, length - shared);
      row = Arrays.copyOfRange(array, offset, offset + length);
      before = 0;
      return 0;
    }

    private int qualifier(KeyValue cell) {
      byte[] array = cell.getQualifierArray();
      int offset = cell.getQualifierOffset();
      int length = cell.getQualifierLength();
      int expected = expected();
      int flag = 0;
      int number;
      if (expected > 0 && isAt(expected, array, offset, length)) {
        number = expected;
        flag = QUALIFIER;
        qualifier = qualifiers[number];
      } else {
        int slot = slot(array, offset, length);
        number = slots[slot];
        if (number > 0) {
          putVarint(number);
          qualifier = qualifiers[number];
        } else {
          int shared = shared(qualifier, array, offset, length);
          putVarint(0);
          putVarint(shared);
          putBytes(array, offset + shared, length - shared);
          qualifier = Arrays.copyOfRange(array, offset, offset + length);
          number = learn(qualifier);
          if (number > 0) {
            if (!ownsSlots) {
              slots = slots.clone();
              ownsSlots = true;
            }
            slots[slot] = (short) number;
          }
        }
      }
      came(number);
      return flag;
    }

    private boolean isAt(int number, byte[] array, int offset, int length) {
      byte[] bytes = qualifiers[number];
      return Bytes.equals(bytes, 0, bytes.length, array, offset, length);
    }

    /** Where the qualifier's number stands, or would. */
    private int slot(byte[] array, int offset, int length) {
      int slot = (Bytes.hashCode(array, offset, length) * 0x9E3779B1) >>> 22;
      while (slots[slot] > 0 && !isAt(slots[slot], array, offset, length)) {
        slot = (slot + 1) % SLOTS;
      }
      return slot;
    }

    private static int shared(byte[] bytes, byte[] array, int offset, int length) {
      int mismatch = Arrays.mismatch(bytes, 0, bytes.length, array, offset, offset + length);
      return mismatch < 0 ? length : mismatch;
    }

    private void putBytes(byte[] array, int offset, int length) {
      putVarint(length);
      ensure(length);
      System.arraycopy(array, offset, heads, headBytes, length);
      headBytes += length;
    }

    private void putVarint(long value) {
      ensure(10);
      headBytes = putVarint(heads, headBytes, value);
    }

    private static int putVarint(byte[] bytes, int at, long value) {
      int end = at;
      while ((value & ~0x7fL) != 0) {
        bytes[end++] = (byte) (value | 0x80);
        value >>>= 7;
      }
      bytes[end++] = (byte) value;
      return end;
    }

    private void ensure(int more) {
      if (heads.length - headBytes < more) {
        heads = Arrays.copyOf(heads, Math.max(headBytes + more, 2 * heads.length));
      }
    }
  }

  private static final class Unpacker extends State {
    private final byte[] packed;
    private final int packedEnd;
    private final byte[] batch;
    private int position;
    private int headsEnd;
    private int valueAt;
    private int size;

    Unpacker(
        byte[] packed, int offset, int packedEnd, int size, byte[] firstRow, ColumnOrder order) {
      super(firstRow, order);
      this.packed = packed;
      this.position = offset;
      this.packedEnd = packedEnd;
      this.batch = new byte[size];
    }

    byte[] unpack() throws IOException {
      headsEnd = packedEnd;
      int headBytes = number(packedEnd);
      headsEnd = position + headBytes;
      if (headsEnd > packedEnd) {
        throw new IOException("Heads of " + headBytes + " bytes in " + packedEnd);
      }
      valueAt = headsEnd;
      byte[] family = headBytes == 0 ? new byte[0] : bytes(0, row);
      while (position < headsEnd) {
        next(family);
      }
      if (size != batch.length || valueAt != packedEnd) {
        throw new IOException(
            size
                + " bytes of cells instead of "
                + batch.length
                + ", values end at "
                + valueAt
                + " of "
                + packedEnd);
      }
      return batch;
    }

    private void next(byte[] family) throws IOException {
      int flags = packed[position++];
      if ((flags & ROW) == 0) {
        row = bytes(number(row.length), row);
        before = 0;
      }
      came((flags & QUALIFIER) == 0 ? givenQualifier() : expected());
      if (before == 0) {
        throw new IOException("No qualifier is expected");
      }
      if ((flags & TIME) == 0) {
        timestamp += unzigzag(varint());
      }
      if ((flags & TYPE) == 0) {
        type = packed[position++];
      }
      if ((flags & SEQUENCE) == 0) {
        sequenceId += unzigzag(varint());
      }
      if ((flags & HEAD) == 0) {
        head = varint();
      }
      if ((flags & LENGTH) == 0) {
        lengthIs(number(packedEnd));
      }
      int tagsAt = 0;
      int tagsLength = 0;
      if ((flags & TAGS) == 0) {
        tagsLength = number(headsEnd - position);
        tagsAt = position;
        position += tagsLength;
      }
      write(family, expectedLength(), tagsAt, tagsLength);
    }

    private int givenQualifier() throws IOException {
      int number = number(known);
      if (number > 0) {
        qualifier = qualifiers[number];
        return number;
      }
      qualifier = bytes(number(qualifier.length), qualifier);
      return learn(qualifier);
    }

    private void write(byte[] family, int valueLength, int tagsAt, int tagsLength)
        throws IOException {
      byte[] column = before < 0 ? qualifier : qualifiers[before];
      qualifier = column;
      int keyLength = KeyValue.KEY_INFRASTRUCTURE_SIZE + row.length + family.length + column.length;
      int length =
          KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE
              + keyLength
              + valueLength
              + (tagsLength == 0 ? 0 : KeyValue.TAGS_LENGTH_SIZE + tagsLength);
      if (row.length > Short.MAX_VALUE
          || family.length > Byte.MAX_VALUE
          || packedEnd - valueAt < valueLength) {
        throw new IOException("A cell is longer than what is left");
      }
      size = Packer.putVarint(batch, size, head);
      size = Packer.putVarint(batch, size, sequenceId);
      size = Packer.putVarint(batch, size, length);
      size = Bytes.putInt(batch, size, keyLength);
      size = Bytes.putInt(batch, size, valueLength);
      size = Bytes.putShort(batch, size, (short) row.length);
      size = Bytes.putBytes(batch, size, row, 0, row.length);
      size = Bytes.putByte(batch, size, (byte) family.length);
      size = Bytes.putBytes(batch, size, family, 0, family.length);
      size = Bytes.putBytes(batch, size, column, 0, column.length);
      size = Bytes.putLong(batch, size, timestamp);
      size = Bytes.putByte(batch, size, (byte) type);
      size = Bytes.putBytes(batch, size, packed, valueAt, valueLength);
      valueAt += valueLength;
      if (tagsLength > 0) {
        size = Bytes.putAsShort(batch, size, tagsLength);
        size = Bytes.putBytes(batch, size, packed, tagsAt, tagsLength);
      }
    }

    /** So many bytes of {@code start}, and what is given. */
    private byte[] bytes(int shared, byte[] start) throws IOException {
      int given = number(headsEnd - position);
      byte[] bytes = new byte[shared + given];
      System.arraycopy(start, 0, bytes, 0, shared);
      System.arraycopy(packed, position, bytes, shared, given);
      position += given;
      return bytes;
    }

    /** A number that is at most {@code max}. */
    private int number(int max) throws IOException {
      long number = varint();
      if (number < 0 || number > max) {
        throw new IOException(number + " is more than " + max);
      }
      return (int) number;
    }

    private long varint() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 64 && position < headsEnd; shift += 7) {
        byte b = packed[position++];
        value |= (b & 0x7fL) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw new IOException("Malformed number at " + position);
    }
  }

  private static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  private static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }
}
