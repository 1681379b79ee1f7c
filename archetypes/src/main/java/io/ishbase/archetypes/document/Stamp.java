package io.ishbase.archetypes.document;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The cell {@code d:m} of a row: one byte, whether there is a document or it was deleted; eight of
 * its version; eight drawn for the write, by which it knows its own.
 *
 * @param version 0 if the row was never written, or deleted long ago
 * @param live whether there is a document
 * @param cell null if there is none
 */
record Stamp(long version, boolean live, byte @Nullable [] cell) {
  private static final int BYTES = 1 + 2 * Long.BYTES;
  private static final Stamp NONE = new Stamp(0, false, null);

  static Stamp of(byte @Nullable [] cell) throws IOException {
    if (cell == null) {
      return NONE;
    }
    if (cell.length != BYTES) {
      throw PathBytes.corrupt(cell);
    }
    return new Stamp(ByteBuffer.wrap(cell).getLong(1), cell[0] == 'L', cell);
  }

  static byte[] cell(long version, boolean live) {
    return ByteBuffer.allocate(BYTES)
        .put((byte) (live ? 'L' : 'D'))
        .putLong(version)
        .putLong(ThreadLocalRandom.current().nextLong())
        .array();
  }
}
