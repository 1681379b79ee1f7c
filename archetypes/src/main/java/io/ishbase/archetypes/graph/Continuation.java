package io.ishbase.archetypes.graph;

import java.util.Base64;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Where the next page begins.
 *
 * @param slice the number of the slice
 * @param from the first qualifier
 */
record Continuation(int slice, byte[] from) {
  static Continuation first(List<Slice> slices) {
    return new Continuation(0, slices.get(0).start());
  }

  /** The beginning of the slice behind this one; null if there is none. */
  @Nullable Continuation nextSlice(List<Slice> slices) {
    int next = slice + 1;
    return next < slices.size() ? new Continuation(next, slices.get(next).start()) : null;
  }

  Continuation at(byte[] qualifier) {
    return new Continuation(slice, qualifier);
  }

  String text() {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Bytes.add(new byte[] {(byte) slice}, from));
  }

  /**
   * Reads what {@link #text} wrote.
   *
   * @throws IllegalArgumentException if it lies in none of the slices
   */
  static Continuation parse(String text, List<Slice> slices) {
    byte[] bytes = bytes(text);
    if (bytes.length > 1 && bytes[0] >= 0 && bytes[0] < slices.size()) {
      Slice slice = slices.get(bytes[0]);
      byte[] from = Bytes.tail(bytes, bytes.length - 1);
      if (Bytes.compareTo(from, slice.start()) >= 0 && Bytes.compareTo(from, slice.stop()) < 0) {
        return new Continuation(bytes[0], from);
      }
    }
    throw new IllegalArgumentException("No page of this selection ended with: " + text);
  }

  private static byte[] bytes(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
