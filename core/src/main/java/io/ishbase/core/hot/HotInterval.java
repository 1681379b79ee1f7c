package io.ishbase.core.hot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring rows that were hit while they were cached.
 *
 * @param from first row, inclusive
 * @param to exclusive, beyond {@code from}
 * @param heat how hot they are on average, from 1 to {@value #MAX_HEAT}
 */
@SuppressWarnings("ArrayRecordComponent")
public record HotInterval(byte[] from, byte[] to, int heat) {
  public static final int MAX_HEAT = 255;

  /** Whether it is the row {@code from} alone. */
  public boolean isRow() {
    return to.length == from.length + 1
        && to[from.length] == 0
        && Arrays.equals(to, 0, from.length, from, 0, from.length);
  }

  /**
   * The part of it that lies in a region; null if there is none.
   *
   * @param start first row of the region; empty: the first of all
   * @param end exclusive; empty: there is none
   */
  public @Nullable HotInterval within(byte[] start, byte[] end) {
    byte[] first = Arrays.compareUnsigned(from, start) >= 0 ? from : start;
    byte[] last = end.length == 0 || Arrays.compareUnsigned(to, end) <= 0 ? to : end;
    return Arrays.compareUnsigned(first, last) < 0 ? new HotInterval(first, last, heat) : null;
  }
}
