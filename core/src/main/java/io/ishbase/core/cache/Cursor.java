package io.ishbase.core.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.cache.Segment.State;
import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks over what is cached of whole rows, in ascending order. Every step looks at the present
 * state of the cache. Used by the thread that has the pin; renewing the pin between two steps is
 * allowed and ends what {@link #row} shows.
 */
public final class Cursor {
  /** Where a cursor stands. */
  public enum State {
    /** On a cached row that has cells; nothing lies between it and where the cursor came from. */
    ROW,
    /** On rows that are not known: from {@link #gapStart} to {@link #gapEnd}. */
    GAP,
    /** Behind the last row below the stop row. */
    END
  }

  /** Segments that are searched for the end of a gap; a longer one is shown as several. */
  private static final int MAX_SEGMENTS_OF_GAP = 16;

  private final StoreIndex index;
  private final Arena arena;
  private final Pin pin;
  private final boolean trimmedToo;
  private final RowView view = new RowView();
  private boolean counts = true;

  private byte @Nullable [] stop;
  private boolean stopInclusive;

  // Everything before this key is answered, and the key itself unless it is inclusive.
  private byte[] key = new byte[64];
  private int keyLength;
  private boolean inclusive;

  // Where the key's entry was found, to go on from there as long as that is the present state.
  private @Nullable Segment segment;
  private Segment.State state = Segment.State.NOWHERE;
  private int position;

  /** Whether the element found is the key's own. */
  private boolean onKey;

  private byte @Nullable [] gapStart;
  private boolean gapStartInclusive;
  private byte @Nullable [] gapEnd;
  private boolean gapEndInclusive;

  Cursor(StoreIndex index, Arena arena, Pin pin, boolean trimmedToo) {
    this.index = index;
    this.arena = arena;
    this.pin = pin;
    this.trimmedToo = trimmedToo;
  }

  /** Counts no hits from now on: what it shows is not what was asked for. */
  public Cursor quietly() {
    counts = false;
    return this;
  }

  /**
   * Goes to the first row from {@code row} on.
   *
   * @param row may be empty: the first row of the store
   * @param stopRow null: none
   * @throws IllegalStateException if the pin is closed
   */
  public State seek(
      byte[] row, boolean rowInclusive, byte @Nullable [] stopRow, boolean stopRowInclusive) {
    stop = stopRow;
    stopInclusive = stopRowInclusive;
    setKey(row, rowInclusive);
    return advance();
  }

  /**
   * Goes to the next row, or beyond the gap.
   *
   * @throws IllegalStateException if the pin is closed
   */
  public State next() {
    if (gapStart != null) {
      if (gapEnd == null) {
        return end();
      }
      setKey(gapEnd, !gapEndInclusive);
    }
    return advance();
  }

  /**
   * The row that the cursor stands on; readable until the next step, or the pin is renewed or
   * closed.
   */
  public RowView row() {
    return view;
  }

  /**
   * Where the gap begins.
   *
   * @throws NullPointerException if the cursor does not stand on a gap
   */
  public byte[] gapStart() {
    return requireNonNull(gapStart, "The cursor does not stand on a gap");
  }

  /** Whether the row {@link #gapStart} itself is not known. */
  public boolean gapStartInclusive() {
    return gapStartInclusive;
  }

  /** Where the gap ends; null: nothing behind it is known below the stop row. */
  public byte @Nullable [] gapEnd() {
    return gapEnd;
  }

  /** Whether the row {@link #gapEnd} itself is not known. */
  public boolean gapEndInclusive() {
    return gapEndInclusive;
  }

  private State advance() {
    pin.check();
    gapStart = null;
    view.showNothing();
    int next = isAtPresent() && !inclusive ? position + 1 : find();
    while (true) {
      if (next < 0 || isBeyondStop()) {
        return end();
      }
      long element = state.entries()[next];
      if (!onKey && !Segment.linked(element)) {
        return gap(next);
      }
      onKey = false;
      if (Segment.address(element) == Segment.TAIL) {
        byte[] end = state.end();
        if (end == null) {
          return end();
        }
        setKey(end, true);
        next = find();
        continue;
      }
      ByteBuffer chunk = arena.chunk(element);
      int entry = Arena.offset(element);
      setKey(chunk, entry);
      if (isBeyondStop()) {
        return end();
      }
      if (!shows(chunk, entry)) {
        return gap(next + 1);
      }
      position = next;
      inclusive = false;
      if (!Entries.empty(chunk, entry)) {
        if (counts) {
          Entries.hit(chunk, entry);
        }
        view.show(chunk, entry);
        return State.ROW;
      }
      next++;
    }
  }

  /** Whether the segment still has the state in which the key's entry was found. */
  @SuppressWarnings("ReferenceEquality") // an equal state may lie elsewhere
  private boolean isAtPresent() {
    return segment != null && segment.state == state;
  }

  private boolean shows(ByteBuffer chunk, int entry) {
    return Entries.kind(chunk, entry) == Entries.ROW
        && (trimmedToo || !Entries.trimmed(chunk, entry));
  }

  /** Position of the first element at or behind the key. */
  private int find() {
    byte[] row = Arrays.copyOf(key, keyLength);
    do {
      segment = index.segmentAt(row);
      state = segment.state;
    } while (!state.endsAfter(row));
    int found = index.search(state, row);
    onKey = found >= 0 && inclusive;
    if (found < 0) {
      return -1 - found;
    }
    return inclusive ? found : found + 1;
  }

  private State end() {
    gapStart = null;
    segment = null;
    // Further steps stay here.
    stop = Arrays.copyOf(key, keyLength);
    stopInclusive = false;
    return State.END;
  }

  private State gap(int next) {
    byte[] start = Arrays.copyOf(key, keyLength);
    gapStart = start;
    gapStartInclusive = inclusive;
    findGapEnd(start, next);
    if (gapEnd != null && stop != null) {
      int comparison = Keys.compare(gapEnd, stop);
      if (comparison > 0 || comparison == 0 && !(stopInclusive && !gapEndInclusive)) {
        gapEnd = null;
      }
    }
    segment = null;
    return State.GAP;
  }

  /**
   * The gap ends at a row that is shown, or where nothing is known to lie up to one. Rows that are
   * not shown do not end it, even if it is known that nothing lies between them.
   */
  private void findGapEnd(byte[] start, int next) {
    setGapEnd(start, true);
    Segment.State in = state;
    int from = next;
    for (int i = 0; i < MAX_SEGMENTS_OF_GAP; i++) {
      for (int at = from; at < in.count(); at++) {
        long element = in.entries()[at];
        ByteBuffer chunk = arena.chunk(element);
        int entry = Arena.offset(element);
        boolean shown = shows(chunk, entry);
        if (shown && Segment.linked(element)) {
          return;
        }
        byte[] row = Entries.key(chunk, entry);
        setGapEnd(row, !shown);
        if (shown) {
          return;
        }
        if (stop != null && Keys.compare(row, stop) > 0) {
          gapEnd = null;
          return;
        }
      }
      boolean linked = Segment.linked(in.entries()[in.count()]);
      byte[] end = in.end();
      if (end == null) {
        gapEnd = linked ? gapEnd : null;
        return;
      }
      if (!linked) {
        setGapEnd(end, false);
      }
      in = index.stateAt(end);
      // By now it may be one with the segment before.
      from = index.position(in, end);
    }
  }

  private void setGapEnd(byte[] end, boolean endInclusive) {
    gapEnd = end;
    gapEndInclusive = endInclusive;
  }

  private boolean isBeyondStop() {
    if (stop == null) {
      return false;
    }
    int comparison = Arrays.compareUnsigned(key, 0, keyLength, stop, 0, stop.length);
    return comparison > 0 || comparison == 0 && !(inclusive && stopInclusive);
  }

  private void setKey(byte[] row, boolean rowInclusive) {
    ensure(row.length);
    System.arraycopy(row, 0, key, 0, row.length);
    keyLength = row.length;
    inclusive = rowInclusive;
    segment = null;
  }

  private void setKey(ByteBuffer chunk, int entry) {
    keyLength = Entries.keyLength(chunk, entry);
    ensure(keyLength);
    chunk.get(Entries.keyOffset(entry), key, 0, keyLength);
    inclusive = true;
  }

  private void ensure(int length) {
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
  }
}
