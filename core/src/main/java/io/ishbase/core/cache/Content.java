package io.ishbase.core.cache;

import java.nio.ByteBuffer;

/**
 * What is to be written of a row.
 *
 * @param kind of the entry: {@link Entries#ROW} and so on
 * @param columns encoded; empty if it is not of some columns
 * @param clean whether no compaction could drop any of it
 * @param upgraded whether nobody asked for it
 * @param trimmed whether the files may hold more of it, which most readers do not see
 */
@SuppressWarnings("ArrayRecordComponent")
record Content(
    int kind,
    byte[] columns,
    byte[] payload,
    int offset,
    int length,
    boolean clean,
    boolean upgraded,
    boolean trimmed) {
  private static final byte[] NOTHING = {};

  /** That there is nothing in a row. */
  static final Content ABSENT =
      new Content(Entries.ROW, NOTHING, NOTHING, 0, 0, true, false, false);

  /** Nothing about the row itself. */
  static final Content EDGE = new Content(Entries.EDGE, NOTHING, NOTHING, 0, 0, true, false, false);

  /** A row, or some columns of it; null: the whole row. */
  static Content of(byte[][] columns, byte[] payload, int offset, int length, boolean clean) {
    return columns == null
        ? new Content(Entries.ROW, NOTHING, payload, offset, length, clean, false, false)
        : new Content(
            Entries.COLUMNS, Columns.encode(columns), payload, offset, length, clean, false, false);
  }

  /** Another payload of the same columns. */
  Content with(Merge.Merged merged) {
    return new Content(
        kind,
        columns,
        merged.payload(),
        0,
        merged.payload().length,
        merged.clean(),
        upgraded,
        trimmed || merged.trimmed());
  }

  /** What an entry says but for its payload. */
  static Content withoutPayload(ByteBuffer chunk, int entry) {
    byte[] columns = NOTHING;
    if (Entries.kind(chunk, entry) == Entries.COLUMNS) {
      columns = new byte[Entries.columnsLength(chunk, entry)];
      chunk.get(Entries.columnsOffset(chunk, entry), columns);
    }
    return new Content(
        Entries.kind(chunk, entry),
        columns,
        NOTHING,
        0,
        0,
        true,
        false,
        Entries.trimmed(chunk, entry));
  }

  /** The columns; null if it is the whole row. */
  byte[][] decodedColumns() {
    return kind == Entries.COLUMNS
        ? Columns.decode(ByteBuffer.wrap(columns), 0, columns.length)
        : null;
  }

  /** Whether it says no more than that there is nothing in the row. */
  boolean isAbsence() {
    return kind == Entries.ROW && length == 0;
  }

  int entryBytes(byte[] row) {
    return Entries.bytes(row.length, kind, columns.length, length);
  }
}
