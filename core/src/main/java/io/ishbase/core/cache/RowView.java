package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Entries;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Shows a cached row without copying. What it shows stays readable until the pin under which it was
 * found is renewed or closed. Not thread safe.
 */
public final class RowView {
  static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private ByteBuffer buffer = NOTHING;
  private int entry = -1;
  private int offset;
  private int length;
  private int rowOffset;
  private int rowLength;
  private boolean trimmed;

  void show(ByteBuffer chunk, int at) {
    buffer = chunk;
    entry = at;
    offset = Entries.payloadOffset(chunk, at);
    length = Entries.payloadLength(chunk, at);
    rowOffset = Entries.keyOffset(at);
    rowLength = Entries.keyLength(chunk, at);
    trimmed = Entries.trimmed(chunk, at);
  }

  /** Shows what another view shows, as long as that would. */
  public void show(RowView other) {
    buffer = other.buffer;
    entry = other.entry;
    offset = other.offset;
    length = other.length;
    rowOffset = other.rowOffset;
    rowLength = other.rowLength;
    trimmed = other.trimmed;
  }

  void showNothing() {
    buffer = NOTHING;
    entry = -1;
    offset = 0;
    length = 0;
    rowOffset = 0;
    rowLength = 0;
    trimmed = false;
  }

  /** The buffer that holds the row. Shared by all readers: only absolute reads are allowed. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Where the payload begins in the buffer. */
  public int offset() {
    return offset;
  }

  /** Length of the payload in bytes; 0: the row, or the columns asked for, have no cells. */
  public int length() {
    return length;
  }

  /** Where the row key begins in the buffer. */
  public int rowOffset() {
    return rowOffset;
  }

  /** Length of the row key in bytes; 0 if the row is known not to be there and has no entry. */
  public int rowLength() {
    return rowLength;
  }

  /** How often the entry was hit since the hand passed, this time included; 0 if there is none. */
  public int hits() {
    return entry < 0 ? 0 : Entries.hits(buffer, entry);
  }

  /** Whether the files may hold more of the row, which most readers do not see. */
  public boolean isTrimmed() {
    return trimmed;
  }

  /** Whether no compaction could drop any of it. */
  public boolean isClean() {
    return entry < 0 || Entries.clean(buffer, entry);
  }

  /**
   * A copy of the columns that are cached of the row; null if it is the whole row. They may be more
   * than were asked for.
   */
  public @Nullable Columns copyColumns() {
    return entry < 0 ? null : Entries.columns(buffer, entry);
  }

  /** A copy of the row key. */
  public byte[] copyRow() {
    return copy(rowOffset, rowLength);
  }

  /** A copy of the payload. */
  public byte[] copyPayload() {
    return copy(offset, length);
  }

  private byte[] copy(int from, int bytes) {
    byte[] copy = new byte[bytes];
    buffer.get(from, copy);
    return copy;
  }
}
