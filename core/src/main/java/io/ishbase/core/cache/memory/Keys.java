package io.ishbase.core.cache.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Compares row keys and qualifiers as unsigned bytes, eight at a time. */
public final class Keys {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Keys() {}

  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** Compares {@code a} to a key in a big-endian buffer. */
  public static int compare(byte[] a, ByteBuffer buffer, int offset, int length) {
    int common = Math.min(a.length, length);
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long x = (long) LONGS.get(a, i);
      long y = buffer.getLong(offset + i);
      if (x != y) {
        return Long.compareUnsigned(x, y);
      }
    }
    for (; i < common; i++) {
      int difference = (a[i] & 0xff) - (buffer.get(offset + i) & 0xff);
      if (difference != 0) {
        return difference;
      }
    }
    return a.length - length;
  }

  /** The key right after {@code key}. */
  public static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
