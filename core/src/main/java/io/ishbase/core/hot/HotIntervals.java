package io.ishbase.core.hot;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.zip.CRC32C;

/**
 * The hot intervals of a store, in the order of their keys, as the bytes that are remembered while
 * it is closed. There may be a million: they are kept as bytes here, too, and made one by one.
 *
 * <pre>
 *   int   {@link #MAGIC}
 *   byte  version
 *   int   count
 *   count times: heat (byte), from, to; a key as
 *     number  bytes that it shares with the key before
 *     number  other bytes
 *     other bytes
 *   a "to" that comes right after "from", which makes the interval a row, is the number 0 alone,
 *   and any other one shares a byte more than is said
 *   int   CRC-32C of all before
 * </pre>
 *
 * A number has seven bits in each byte, the lowest first, and the highest bit where more follow.
 */
public final class HotIntervals implements Iterable<HotInterval> {
  /** Length of the longest encoding. */
  public static final int MAX_BYTES = 32 << 20;

  /** What one of any store may take, however little of it is cached. */
  public static final int LEAST_BYTES = 64 << 10;

  /** Keys that share their beginnings take less than they are long: of all keys, so much. */
  static final long MAX_KEY_BYTES = 16L * MAX_BYTES;

  private static final int MAGIC = 0x49534857;
  private static final byte VERSION = 2;
  private static final int HEADER_BYTES = Integer.BYTES + Byte.BYTES + Integer.BYTES;
  private static final int COUNT_OFFSET = Integer.BYTES + Byte.BYTES;
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  /** Of a key, which has less than 2^21 bytes. */
  private static final int MAX_NUMBER_BYTES = 3;

  static final int BYTES_BESIDE = HEADER_BYTES + CHECKSUM_BYTES;

  private final byte[] encoded;
  private final int count;

  private HotIntervals(byte[] encoded, int count) {
    this.encoded = encoded;
    this.count = count;
  }

  /** None. */
  public static HotIntervals none() {
    return new Builder(LEAST_BYTES).build();
  }

  /** What an interval takes at most. */
  static int maxBytes(HotInterval interval) {
    int from = interval.from().length;
    int to = interval.to().length;
    int ofTo =
        interval.isRow()
            ? 1
            : 2 * numberBytes(to + 1) + to - Arrays.mismatch(interval.from(), interval.to());
    return 1 + 2 * numberBytes(from) + from + ofTo;
  }

  private static int numberBytes(int number) {
    return number <= 0x7f ? 1 : MAX_NUMBER_BYTES;
  }

  /** Puts intervals together in the order of their keys. */
  public static final class Builder {
    private final int maxBytes;
    private byte[] bytes = new byte[1 << 10];
    private int length = HEADER_BYTES;
    private int count;
    private long keyBytes;
    private byte[] before = {};

    /**
     * For an encoding of at most so many bytes.
     *
     * @param maxBytes up to {@link #MAX_BYTES}
     */
    public Builder(int maxBytes) {
      this.maxBytes = Math.min(maxBytes, MAX_BYTES);
    }

    /**
     * Adds an interval.
     *
     * @return whether there was room for it
     * @throws IllegalArgumentException if it begins before the end of the last one
     */
    public boolean add(HotInterval interval) {
      byte[] from = interval.from();
      byte[] to = interval.to();
      if (Arrays.compareUnsigned(before, from) > 0) {
        throw new IllegalArgumentException("Intervals that are not in order");
      }
      int most = maxBytes(interval);
      if (length + most + CHECKSUM_BYTES > maxBytes
          || keyBytes + from.length + to.length > MAX_KEY_BYTES) {
        return false;
      }
      if (length + most > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + most));
      }
      bytes[length++] = (byte) interval.heat();
      put(before, from, 0);
      if (interval.isRow()) {
        putNumber(0);
      } else {
        put(from, to, 1);
      }
      before = to;
      keyBytes += from.length + to.length;
      count++;
      return true;
    }

    private void put(byte[] last, byte[] key, int beyond) {
      int mismatch = Arrays.mismatch(last, key);
      int shared = mismatch < 0 ? key.length : mismatch;
      putNumber(shared + beyond);
      putNumber(key.length - shared);
      System.arraycopy(key, shared, bytes, length, key.length - shared);
      length += key.length - shared;
    }

    private void putNumber(int number) {
      int rest = number;
      for (; rest > 0x7f; rest >>>= 7) {
        bytes[length++] = (byte) (rest | 0x80);
      }
      bytes[length++] = (byte) rest;
    }

    /** All that were added. */
    public HotIntervals build() {
      byte[] encoded = Arrays.copyOf(bytes, length + CHECKSUM_BYTES);
      ByteBuffer buffer = ByteBuffer.wrap(encoded);
      buffer.putInt(MAGIC).put(VERSION).putInt(count);
      buffer.putInt(length, crc(encoded, length));
      return new HotIntervals(encoded, count);
    }
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /**
   * What was encoded, which is kept.
   *
   * @throws IllegalArgumentException if the bytes are not an encoding, of this version and whole
   */
  public static HotIntervals decode(byte[] encoded) {
    int length = encoded.length - CHECKSUM_BYTES;
    ByteBuffer bytes = ByteBuffer.wrap(encoded);
    if (length < HEADER_BYTES
        || encoded.length > MAX_BYTES
        || bytes.getInt() != MAGIC
        || bytes.get() != VERSION
        || bytes.getInt(length) != crc(encoded, length)) {
      throw new IllegalArgumentException(
          "No hot intervals of version " + VERSION + ", or damaged: " + encoded.length + " bytes");
    }
    HotIntervals intervals = new HotIntervals(encoded, bytes.getInt(COUNT_OFFSET));
    if (intervals.count < 0) {
      throw new IllegalArgumentException(intervals.count + " intervals");
    }
    Walk walk = intervals.iterator();
    try {
      while (walk.hasNext()) {
        walk.next();
      }
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("Less than " + intervals.count + " intervals", e);
    }
    return intervals;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** As bytes, which the caller must not change. */
  public byte[] encoded() {
    return encoded;
  }

  @Override
  public Walk iterator() {
    return new Walk(encoded, count);
  }

  /** A way through the intervals. */
  public static final class Walk implements Iterator<HotInterval> {
    private final ByteBuffer bytes;
    private final int count;
    private int walked;
    private long keyBytes;
    private byte[] before = {};

    private Walk(byte[] encoded, int count) {
      this.bytes =
          ByteBuffer.wrap(encoded, HEADER_BYTES, encoded.length - HEADER_BYTES - CHECKSUM_BYTES);
      this.count = count;
    }

    @Override
    public boolean hasNext() {
      return walked < count;
    }

    @Override
    public HotInterval next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int heat = bytes.get() & 0xff;
      byte[] from = key(before, number());
      int beyond = number();
      byte[] to = beyond == 0 ? Arrays.copyOf(from, from.length + 1) : key(from, beyond - 1);
      keyBytes += from.length + to.length;
      if (keyBytes > MAX_KEY_BYTES) {
        throw new IllegalArgumentException("More than " + MAX_KEY_BYTES + " bytes of keys");
      }
      if (heat == 0
          || Arrays.compareUnsigned(before, from) > 0
          || Arrays.compareUnsigned(from, to) >= 0) {
        throw new IllegalArgumentException("Interval " + walked + " of " + count + " is none");
      }
      walked++;
      before = to;
      return new HotInterval(from, to, heat);
    }

    private byte[] key(byte[] last, int shared) {
      int more = number();
      if (shared > last.length || more > bytes.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] key = Arrays.copyOf(last, shared + more);
      bytes.get(key, shared, more);
      return key;
    }

    private int number() {
      int number = 0;
      for (int i = 0; i < MAX_NUMBER_BYTES; i++) {
        byte next = bytes.get();
        number |= (next & 0x7f) << 7 * i;
        if (next >= 0) {
          return number;
        }
      }
      throw new BufferUnderflowException();
    }
  }
}
