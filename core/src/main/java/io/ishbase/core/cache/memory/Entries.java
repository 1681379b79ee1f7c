package io.ishbase.core.cache.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Layout of an entry in a chunk, at a multiple of four bytes:
 *
 * <pre>
 *  0 payload length (4)
 *  4 store id (2)
 *  6 heat, as of when the hand passed (2)
 *  8 key length (2)
 * 10 flags (1)
 * 11 hits since the hand passed (1)
 * 12 key, [length of the columns (4), {@link Columns}], payload
 * </pre>
 */
public final class Entries {
  /** All cells of the row. */
  public static final int ROW = 0;

  /** All cells of the row in some columns. */
  public static final int COLUMNS = 1;

  /** Nothing about the row itself: it ends what is known about rows before or after it. */
  public static final int EDGE = 2;

  public static final int MAX_STORES = 1 << 16;
  static final int HEADER_BYTES = 12;
  private static final int KIND = 3;
  private static final int CLEAN = 4;
  private static final int UPGRADED = 8;
  private static final int TRIMMED = 16;
  private static final int SCANNED = 32;

  private Entries() {}

  /** Length of an entry, including what aligns the next one. */
  static int bytes(int keyLength, int kind, int columnsLength, int payloadLength) {
    int columns = kind == COLUMNS ? Integer.BYTES + columnsLength : 0;
    return HEADER_BYTES + keyLength + columns + payloadLength + 3 & ~3;
  }

  public static int bytes(ByteBuffer chunk, int entry) {
    return payloadOffset(chunk, entry) - entry + payloadLength(chunk, entry) + 3 & ~3;
  }

  /** Bytes of the entry that are not book-keeping. */
  public static int cachedBytes(ByteBuffer chunk, int entry) {
    return payloadOffset(chunk, entry) - entry - HEADER_BYTES + payloadLength(chunk, entry);
  }

  /** Writes an entry; its hits and heat are left to the caller. */
  public static void write(ByteBuffer chunk, int entry, int storeId, byte[] key, Content content) {
    chunk.putInt(entry, content.length());
    chunk.putShort(entry + 4, (short) storeId);
    chunk.putShort(entry + 8, (short) key.length);
    int flags =
        content.kind()
            | (content.clean() ? CLEAN : 0)
            | (content.upgraded() ? UPGRADED : 0)
            | (content.trimmed() ? TRIMMED : 0)
            | (content.scanned() ? SCANNED : 0);
    chunk.put(entry + 10, (byte) flags);
    int at = keyOffset(entry);
    chunk.put(at, key);
    at += key.length;
    if (content.kind() == COLUMNS) {
      chunk.putInt(at, content.columns().length);
      chunk.put(at + Integer.BYTES, content.columns());
      at += Integer.BYTES + content.columns().length;
    }
    chunk.put(at, content.payload(), content.offset(), content.length());
  }

  public static int payloadLength(ByteBuffer chunk, int entry) {
    return chunk.getInt(entry);
  }

  public static int storeId(ByteBuffer chunk, int entry) {
    return chunk.getShort(entry + 4) & 0xffff;
  }

  public static int hits(ByteBuffer chunk, int entry) {
    return chunk.get(entry + 11) & 0xff;
  }

  /** Counts a hit. Without synchronization: a lost one does not matter. */
  public static void hit(ByteBuffer chunk, int entry) {
    int hits = hits(chunk, entry);
    if (hits < 0xff) {
      chunk.put(entry + 11, (byte) (hits + 1));
    }
  }

  public static int heat(ByteBuffer chunk, int entry) {
    return chunk.getShort(entry + 6) & 0xffff;
  }

  public static void setHeat(ByteBuffer chunk, int entry, int heat, int hits) {
    chunk.putShort(entry + 6, (short) heat);
    chunk.put(entry + 11, (byte) hits);
  }

  public static int keyLength(ByteBuffer chunk, int entry) {
    return chunk.getShort(entry + 8) & 0xffff;
  }

  public static int keyOffset(int entry) {
    return entry + HEADER_BYTES;
  }

  public static byte[] key(ByteBuffer chunk, int entry) {
    byte[] key = new byte[keyLength(chunk, entry)];
    chunk.get(keyOffset(entry), key);
    return key;
  }

  public static int kind(ByteBuffer chunk, int entry) {
    return chunk.get(entry + 10) & KIND;
  }

  public static boolean clean(ByteBuffer chunk, int entry) {
    return (chunk.get(entry + 10) & CLEAN) != 0;
  }

  /** Whether the files may hold more of the row, which most readers do not see. */
  public static boolean trimmed(ByteBuffer chunk, int entry) {
    return (chunk.get(entry + 10) & TRIMMED) != 0;
  }

  /** Whether the entry came with a stretch that was fetched in place of a row, and was not hit. */
  public static boolean upgraded(ByteBuffer chunk, int entry) {
    return (chunk.get(entry + 10) & UPGRADED) != 0;
  }

  /** Whether the entry came with others: nobody asked for this row, unless it was hit since. */
  public static boolean scanned(ByteBuffer chunk, int entry) {
    return (chunk.get(entry + 10) & SCANNED) != 0;
  }

  /** Takes note that it was. */
  public static void clearUpgraded(ByteBuffer chunk, int entry) {
    chunk.put(entry + 10, (byte) (chunk.get(entry + 10) & ~UPGRADED));
  }

  /**
   * Whether the entry has all cells of the row in these columns.
   *
   * @param columns null: in all
   */
  public static boolean covers(ByteBuffer chunk, int entry, @Nullable Columns columns) {
    int kind = kind(chunk, entry);
    return kind == ROW
        || kind == COLUMNS
            && columns != null
            && columns.areIn(chunk, columnsOffset(chunk, entry), columnsLength(chunk, entry));
  }

  /** Whether the entry says that there is nothing, or nothing at all. */
  public static boolean empty(ByteBuffer chunk, int entry) {
    return payloadLength(chunk, entry) == 0;
  }

  /** The columns that the entry is of; null if it is not of some columns. */
  public static @Nullable Columns columns(ByteBuffer chunk, int entry) {
    return kind(chunk, entry) == COLUMNS
        ? Columns.decode(chunk, columnsOffset(chunk, entry), columnsLength(chunk, entry))
        : null;
  }

  static int columnsLength(ByteBuffer chunk, int entry) {
    return kind(chunk, entry) == COLUMNS
        ? chunk.getInt(keyOffset(entry) + keyLength(chunk, entry))
        : 0;
  }

  static int columnsOffset(ByteBuffer chunk, int entry) {
    return keyOffset(entry) + keyLength(chunk, entry) + Integer.BYTES;
  }

  public static int payloadOffset(ByteBuffer chunk, int entry) {
    int afterKey = keyOffset(entry) + keyLength(chunk, entry);
    return kind(chunk, entry) == COLUMNS
        ? afterKey + Integer.BYTES + chunk.getInt(afterKey)
        : afterKey;
  }
}
