package io.ishbase.core.cache.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written of a row.
 *
 * @param kind of the entry: {@link Entries#ROW} and so on
 * @param columns encoded; empty if it is not of some columns
 * @param clean whether no compaction could drop any of it
 * @param scanned whether it comes with others: nobody asked for this row
 * @param upgraded whether it comes with a stretch that was fetched in place of a row
 * @param trimmed whether the files may hold more of it, which most readers do not see
 */
@SuppressWarnings("ArrayRecordComponent")
public record Content(
    int kind,
    byte[] columns,
    byte[] payload,
    int offset,
    int length,
    boolean clean,
    boolean scanned,
    boolean upgraded,
    boolean trimmed) {
  private static final byte[] NOTHING = {};

  /** That there is nothing in a row. */
  public static final Content ABSENT =
      new Content(Entries.ROW, NOTHING, NOTHING, 0, 0, true, false, false, false);

  /** Nothing about the row itself. */
  public static final Content EDGE =
      new Content(Entries.EDGE, NOTHING, NOTHING, 0, 0, true, false, false, false);

  /** A row, or some columns of it; null: the whole row. */
  public static Content of(
      @Nullable Columns columns, byte[] payload, int offset, int length, boolean clean) {
    return columns == null || columns.isAll()
        ? new Content(Entries.ROW, NOTHING, payload, offset, length, clean, false, false, false)
        : new Content(
            Entries.COLUMNS, columns.encode(), payload, offset, length, clean, false, false, false);
  }

  /** Another payload of the same columns. What is trimmed stays so. */
  public Content with(byte[] newPayload, boolean newClean, boolean newTrimmed) {
    return new Content(
        kind,
        columns,
        newPayload,
        0,
        newPayload.length,
        newClean,
        scanned,
        upgraded,
        trimmed || newTrimmed);
  }

  /** What an entry says but for its payload. */
  public static Content withoutPayload(ByteBuffer chunk, int entry) {
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
        Entries.scanned(chunk, entry),
        false,
        Entries.trimmed(chunk, entry));
  }

  /** What an entry says, with another payload that says the same. */
  public static Content withPayload(ByteBuffer chunk, int entry, byte[] payload) {
    Content rest = withoutPayload(chunk, entry);
    return new Content(
        rest.kind,
        rest.columns,
        payload,
        0,
        payload.length,
        Entries.clean(chunk, entry),
        rest.scanned,
        Entries.upgraded(chunk, entry),
        rest.trimmed);
  }

  /** The columns; null if it is the whole row. */
  public @Nullable Columns decodedColumns() {
    return kind == Entries.COLUMNS
        ? Columns.decode(ByteBuffer.wrap(columns), 0, columns.length)
        : null;
  }

  /** Whether it says no more than that there is nothing in the row. */
  public boolean isAbsence() {
    return kind == Entries.ROW && length == 0;
  }

  public int entryBytes(byte[] row) {
    return Entries.bytes(row.length, kind, columns.length, length);
  }
}
