package io.ishbase.core.hot;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The hot intervals of a store as bytes, to be remembered while it is closed:
 *
 * <pre>
 *   int   {@link #MAGIC}
 *   byte  version
 *   int   count
 *   count times, in the order of the keys: heat (byte), from, to; a key as
 *     short   bytes that it shares with the key before
 *     short   other bytes
 *     other bytes
 *   int   CRC-32C of all before
 * </pre>
 */
public final class HotIntervals {
  /** Length of the longest encoding. */
  public static final int MAX_BYTES = 64 << 10;

  /** Keys that share their beginnings take less than they are long: of all keys, so much. */
  static final int MAX_KEY_BYTES = 16 * MAX_BYTES;

  private static final int MAGIC = 0x49534857;
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = Integer.BYTES + Byte.BYTES + Integer.BYTES;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int INTERVAL_BYTES = Byte.BYTES + 4 * Short.BYTES;

  static final int MAX_BYTES_OF_INTERVALS = MAX_BYTES - HEADER_BYTES - CHECKSUM_BYTES;

  private HotIntervals() {}

  /** What an interval takes at most. */
  static int maxBytes(byte[] from, byte[] to) {
    return INTERVAL_BYTES + from.length + to.length - Arrays.mismatch(from, to);
  }

  /**
   * As bytes.
   *
   * @param intervals in the order of their keys
   * @throws IllegalArgumentException if they take more than {@value #MAX_BYTES} bytes, or their
   *     keys are longer than would be read again
   */
  public static byte[] encode(List<HotInterval> intervals) {
    if (intervals.stream().mapToLong(HotIntervals::keyBytes).sum() > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          intervals.size() + " intervals have more than " + MAX_KEY_BYTES + " bytes of keys");
    }
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    try {
      bytes.putInt(MAGIC).put(VERSION).putInt(intervals.size());
      byte[] before = {};
      for (HotInterval interval : intervals) {
        bytes.put((byte) interval.heat());
        put(bytes, before, interval.from());
        put(bytes, interval.from(), interval.to());
        before = interval.to();
      }
      bytes.putInt(crc(bytes.array(), bytes.position()));
    } catch (BufferOverflowException e) {
      throw new IllegalArgumentException(
          intervals.size() + " intervals take more than " + MAX_BYTES + " bytes", e);
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private static long keyBytes(HotInterval interval) {
    return (long) interval.from().length + interval.to().length;
  }

  private static void put(ByteBuffer bytes, byte[] before, byte[] key) {
    int mismatch = Arrays.mismatch(before, key);
    int shared = mismatch < 0 ? key.length : mismatch;
    bytes.putShort((short) shared).putShort((short) (key.length - shared));
    bytes.put(key, shared, key.length - shared);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /**
   * The intervals, in the order of their keys.
   *
   * @throws IllegalArgumentException if the bytes are not an encoding, of this version and whole
   */
  public static List<HotInterval> decode(byte[] encoded) {
    int length = encoded.length - CHECKSUM_BYTES;
    ByteBuffer bytes = ByteBuffer.wrap(encoded);
    if (length < HEADER_BYTES
        || bytes.getInt() != MAGIC
        || bytes.get() != VERSION
        || bytes.getInt(length) != crc(encoded, length)) {
      throw new IllegalArgumentException(
          "No hot intervals of version " + VERSION + ", or damaged: " + encoded.length + " bytes");
    }
    int count = bytes.getInt();
    bytes.limit(length);
    List<HotInterval> intervals = new ArrayList<>();
    try {
      byte[] before = {};
      int keyBytes = 0;
      for (int i = 0; i < count; i++) {
        int heat = bytes.get() & 0xff;
        byte[] from = key(bytes, before);
        byte[] to = key(bytes, from);
        keyBytes += from.length + to.length;
        if (keyBytes > MAX_KEY_BYTES) {
          throw new IllegalArgumentException("More than " + MAX_KEY_BYTES + " bytes of keys");
        }
        if (heat == 0
            || Arrays.compareUnsigned(before, from) > 0
            || Arrays.compareUnsigned(from, to) >= 0) {
          throw new IllegalArgumentException("Interval " + i + " of " + count + " is none");
        }
        intervals.add(new HotInterval(from, to, heat));
        before = to;
      }
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("Less than " + count + " intervals", e);
    }
    return intervals;
  }

  private static byte[] key(ByteBuffer bytes, byte[] before) {
    int shared = bytes.getShort() & 0xffff;
    int more = bytes.getShort() & 0xffff;
    if (shared > before.length || more > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] key = Arrays.copyOf(before, shared + more);
    bytes.get(key, shared, more);
    return key;
  }
}
