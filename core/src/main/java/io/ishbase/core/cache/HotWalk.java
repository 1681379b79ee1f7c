package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.hot.HotInterval;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Walks over the index of a store, without the cache's lock, and shows the intervals of rows that
 * were hit while they were cached. What changes meanwhile makes the result worse, not wrong.
 *
 * <p>Rows of which only some columns are cached are left out: to fetch them whole may cost more
 * than they are worth.
 */
final class HotWalk {
  private final StoreIndex index;
  private final Arena arena;
  private final int heatOfHit;

  /** {@code heatOfHit}: of a row that was asked for once. */
  HotWalk(StoreIndex index, Arena arena, int heatOfHit) {
    this.index = index;
    this.arena = arena;
    this.heatOfHit = heatOfHit;
  }

  /** Shows the intervals in the order of their keys. */
  void walk(Pin pin, Consumer<HotInterval> intervals) {
    byte[] start = {};
    while (start != null) {
      pin.renew();
      Segment.State state = index.stateAt(start);
      walk(state, start, intervals);
      start = state.end();
    }
  }

  // An interval ends with its segment, so that its heat is that of a neighbourhood.
  private void walk(Segment.State state, byte[] start, Consumer<HotInterval> intervals) {
    int first = -1;
    long heats = 0;
    // By now it may be one with the segment before, whose rows have been shown.
    for (int i = index.position(state, start); i < state.count(); i++) {
      long element = state.entries()[i];
      int heat = heat(element);
      if (first >= 0 && (heat == 0 || !Segment.linked(element))) {
        take(state, start, first, i - 1, heats, intervals);
        first = -1;
      }
      if (heat > 0) {
        if (first < 0) {
          first = i;
          heats = 0;
        }
        heats += heat;
      }
    }
    if (first >= 0) {
      take(state, start, first, state.count() - 1, heats, intervals);
    }
  }

  /** In quarters of a hit; 0 if it is not a row that was asked for more than once. */
  private int heat(long element) {
    ByteBuffer chunk = arena.chunk(element);
    int entry = Arena.offset(element);
    if (Entries.kind(chunk, entry) != Entries.ROW
        || Entries.keyLength(chunk, entry) >= StoreCache.MAX_ROW_BYTES) {
      return 0;
    }
    int again = Entries.hits(chunk, entry) * heatOfHit + Entries.heat(chunk, entry) - heatOfHit;
    return Math.max(0, Math.min(4 * again / heatOfHit, HotInterval.MAX_HEAT));
  }

  private void take(
      Segment.State state,
      byte[] start,
      int first,
      int last,
      long heats,
      Consumer<HotInterval> intervals) {
    int heat = (int) Math.max(1, heats / (last - first + 1));
    long[] entries = state.entries();
    byte[] from = key(entries[first]);
    byte[] to = Keys.after(key(entries[last]));
    if (first < last) {
      // A run reaches as far as nothing else is known to lie. A row stays one, to be fetched with
      // others.
      if (first > 0 && Segment.linked(entries[first])) {
        byte[] before = key(entries[first - 1]);
        if (Keys.compare(before, start) < 0) {
          from = start;
        } else if (before.length < StoreCache.MAX_ROW_BYTES) {
          from = Keys.after(before);
        }
      }
      if (Segment.linked(entries[last + 1])) {
        to = endOf(state, last, to);
      }
    }
    intervals.accept(new HotInterval(from, to, heat));
  }

  private byte[] endOf(Segment.State state, int last, byte[] otherwise) {
    if (last + 1 < state.count()) {
      return key(state.entries()[last + 1]);
    }
    byte[] end = state.end();
    return end == null ? otherwise : end;
  }

  private byte[] key(long element) {
    return Entries.key(arena.chunk(element), Arena.offset(element));
  }
}
