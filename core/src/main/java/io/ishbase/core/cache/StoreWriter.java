package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Content;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts entries of a store into memory and index. Room is always taken before the index is touched:
 * making room may move entries and take some out.
 *
 * <p>Guarded by the cache's lock.
 */
final class StoreWriter {
  /** Of columns, in an entry: a lookup passes them one by one. */
  private static final int MAX_INTERVALS = 64;

  /** Of an entry that is joined: all wait for that, and whoever reads a part of it copies it. */
  private static final int MAX_JOINED_BYTES = 32 << 10;

  private final SegmentCache cache;
  private final int storeId;
  private final Arena arena;
  private final StoreIndex index;
  private long returns;

  StoreWriter(SegmentCache cache, int storeId, StoreIndex index) {
    this.cache = cache;
    this.storeId = storeId;
    this.index = index;
    arena = cache.arena();
  }

  /** Rows that were written a short while after they had left. */
  long returns() {
    return returns;
  }

  /** Makes a row covered. What is covered already stays as it is. */
  boolean cover(byte[] row, Content content) {
    assert arena.isLocked();
    boolean knownToBeAbsent = content.isAbsence() && index.knownEmpty(row);
    return knownToBeAbsent || isCovered(row, null) || write(row, content);
  }

  /**
   * Makes a row, or some columns of it, covered. What is covered already stays as it is.
   *
   * @param join adds what came to what is cached of other columns
   */
  boolean cover(byte[] row, @Nullable Columns columns, Content content, Merge join) {
    if (columns == null) {
      return cover(row, content);
    }
    if (isCovered(row, columns)) {
      return true;
    }
    Content joined = joined(row, columns, content, join);
    return joined != null && write(row, joined) || write(row, content);
  }

  /** What is cached of other columns of the row, and these; null if they are not to be joined. */
  private @Nullable Content joined(byte[] row, Columns columns, Content content, Merge join) {
    assert arena.isLocked();
    long present = index.get(row);
    if (present == 0) {
      return null;
    }
    ByteBuffer chunk = arena.chunk(present);
    int entry = Arena.offset(present);
    Columns others = Entries.columns(chunk, entry);
    Columns all = others == null ? null : others.union(columns);
    if (all == null
        || all.count() > MAX_INTERVALS
        || Entries.payloadLength(chunk, entry) + content.length() > MAX_JOINED_BYTES) {
      return null;
    }
    Merge.Merged merged =
        join.merge(
            others,
            chunk.asReadOnlyBuffer(),
            Entries.payloadOffset(chunk, entry),
            Entries.payloadLength(chunk, entry));
    return merged == null
        ? null
        : Content.of(all, merged.payload(), 0, merged.payload().length, merged.clean())
            .with(
                merged.payload(),
                merged.clean(),
                merged.trimmed() || Entries.trimmed(chunk, entry));
  }

  /** Whether a row, or some columns of it, have an entry. */
  boolean isCovered(byte[] row, @Nullable Columns columns) {
    long present = index.get(row);
    return present != 0 && Entries.covers(arena.chunk(present), Arena.offset(present), columns);
  }

  /** Makes a row that is not there have an entry that says so. */
  private boolean coverAbsence(byte[] row) {
    return index.get(row) == 0 ? write(row, Content.ABSENT) : cover(row, Content.ABSENT);
  }

  /** Makes a row have an entry, of whatever kind. */
  private boolean edge(byte[] row) {
    return index.get(row) != 0 || write(row, Content.EDGE);
  }

  /** Takes note that nothing lies between {@code from} and {@code to}, which may be there. */
  boolean linkToRow(byte[] from, boolean fromInclusive, byte[] to) {
    return edge(to) && link(from, fromInclusive, to);
  }

  /** Takes note that nothing lies between {@code from} and {@code to}, nor there. */
  boolean linkToAbsence(byte[] from, boolean fromInclusive, byte[] to) {
    return coverAbsence(to) && link(from, fromInclusive, to);
  }

  /** Takes note that nothing lies behind {@code from}. */
  boolean linkToEnd(byte[] from, boolean fromInclusive) {
    return link(from, fromInclusive, null);
  }

  private boolean link(byte[] from, boolean fromInclusive, byte @Nullable [] to) {
    assert arena.isLocked();
    if (fromInclusive && to != null && Keys.compare(from, to) == 0) {
      return true;
    }
    boolean anchored = fromInclusive ? coverAbsence(from) : edge(from);
    // Making room for the one end may have taken out the other.
    if (!anchored || to != null && index.get(to) == 0) {
      return false;
    }
    index.linkBetween(from, to);
    return true;
  }

  /**
   * Changes a row if it is covered, at least in part.
   *
   * @return whether it still is; null if it was not
   */
  @Nullable Boolean merge(byte[] row, Merge merge) {
    assert arena.isLocked();
    long present = index.get(row);
    Content old = Content.ABSENT;
    ByteBuffer chunk = RowView.NOTHING;
    int offset = 0;
    int length = 0;
    if (present != 0) {
      chunk = arena.chunk(present);
      int entry = Arena.offset(present);
      if (Entries.kind(chunk, entry) == Entries.EDGE) {
        return null;
      }
      old = Content.withoutPayload(chunk, entry);
      offset = Entries.payloadOffset(chunk, entry);
      length = Entries.payloadLength(chunk, entry);
      chunk = chunk.asReadOnlyBuffer();
    } else if (!index.knownEmpty(row)) {
      return null;
    }
    boolean merged = false;
    try {
      merged = write(row, present, old, merge.merge(old.decodedColumns(), chunk, offset, length));
    } finally {
      // Also if it threw: what is cached of the row would no longer be all of it.
      if (!merged) {
        index.dropRange(row, Keys.after(row));
      }
    }
    return merged;
  }

  /** Gives an entry with the payload {@code found} another one. Returns whether it has it now. */
  boolean replace(byte[] row, byte[] found, byte[] payload) {
    assert arena.isLocked();
    long present = index.get(row);
    if (present == 0 || found.length == 0) {
      return false;
    }
    ByteBuffer chunk = arena.chunk(present);
    int entry = Arena.offset(present);
    int length = Entries.payloadLength(chunk, entry);
    return length == found.length
        && chunk.slice(Entries.payloadOffset(chunk, entry), length).equals(ByteBuffer.wrap(found))
        && write(row, Content.withPayload(chunk, entry, payload));
  }

  /** Drops a row that is trimmed. Returns whether there was one. */
  boolean dropTrimmed(byte[] row) {
    assert arena.isLocked();
    long present = index.get(row);
    boolean trimmed = present != 0 && Entries.trimmed(arena.chunk(present), Arena.offset(present));
    if (trimmed) {
      index.dropRange(row, Keys.after(row));
    }
    return trimmed;
  }

  private boolean write(byte[] row, long present, Content old, Merge.@Nullable Merged merged) {
    if (merged == null) {
      return false;
    }
    Content content = old.with(merged.payload(), merged.clean(), merged.trimmed());
    return present == 0 && content.isAbsence() || write(row, content);
  }

  private boolean write(byte[] row, Content content) {
    assert arena.isLocked();
    long present = index.get(row);
    boolean toMain;
    int heat;
    int hits = 0;
    if (present != 0) {
      toMain = arena.isMain(present);
      heat = Entries.heat(arena.chunk(present), Arena.offset(present));
      hits = Entries.hits(arena.chunk(present), Arena.offset(present));
    } else {
      heat = cache.hand().heatOfNew(storeId, row);
      returns += heat > cache.hand().heatOfHit() ? 1 : 0;
      // An upgrade says that the rows around it are hot, so this one may be.
      toMain = cache.hand().admits(heat) || content.upgraded();
    }
    long address = arena.allocate(content.entryBytes(row), StoreIndex.growth(row), toMain);
    if (address == Arena.NONE) {
      return false;
    }
    ByteBuffer chunk = arena.chunk(address);
    int entry = Arena.offset(address);
    Entries.write(chunk, entry, storeId, row, content);
    Entries.setHeat(chunk, entry, heat, hits);
    index.put(row, address, content.clean());
    return true;
  }
}
