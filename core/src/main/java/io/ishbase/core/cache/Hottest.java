package io.ishbase.core.cache;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the hottest intervals of a store. Walks over its index twice, without the cache's lock: to
 * count, by heat, the bytes that the intervals' keys take, and to choose those that fit. What
 * changes meanwhile makes the choice worse, not wrong.
 *
 * <p>Rows of which only some columns are cached are left out: to fetch them whole may cost more
 * than they are worth.
 */
final class Hottest {
  private final StoreIndex index;
  private final Arena arena;
  private final int heatOfHit;
  private final long[] bytesByHeat = new long[HotInterval.MAX_HEAT + 1];
  private final List<HotInterval> chosen = new ArrayList<>();

  /**
   * Intervals that are colder are not chosen; of those that are as hot, this share of the bytes.
   */
  private int coldest;

  private double shareOfColdest;
  private double credit;

  /** {@code heatOfHit}: of a row that was asked for once. */
  Hottest(StoreIndex index, Arena arena, int heatOfHit) {
    this.index = index;
    this.arena = arena;
    this.heatOfHit = heatOfHit;
  }

  /** In the order of their keys. */
  List<HotInterval> choose(Pin pin, int maxBytes) {
    walk(pin, false);
    long left = maxBytes;
    coldest = HotInterval.MAX_HEAT;
    while (coldest > 1 && bytesByHeat[coldest] <= left) {
      left -= bytesByHeat[coldest--];
    }
    shareOfColdest =
        bytesByHeat[coldest] == 0 ? 1 : Math.min(1, (double) left / bytesByHeat[coldest]);
    walk(pin, true);
    return chosen;
  }

  private void walk(Pin pin, boolean choosing) {
    byte[] start = {};
    while (start != null) {
      pin.renew();
      Segment.State state = index.stateAt(start);
      walk(state, choosing);
      start = state.end();
    }
  }

  // An interval ends with its segment, so that its heat is that of a neighbourhood.
  private void walk(Segment.State state, boolean choosing) {
    int first = -1;
    long heats = 0;
    for (int i = 0; i < state.count(); i++) {
      long element = state.entries()[i];
      int heat = heat(element);
      if (first >= 0 && (heat == 0 || !Segment.linked(element))) {
        take(state, first, i - 1, heats, choosing);
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
      take(state, first, state.count() - 1, heats, choosing);
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

  private void take(Segment.State state, int first, int last, long heats, boolean choosing) {
    int heat = (int) Math.max(1, heats / (last - first + 1));
    long[] entries = state.entries();
    byte[] from = key(entries[first]);
    byte[] to = Keys.after(key(entries[last]));
    if (first < last) {
      // A run reaches as far as nothing else is known to lie. A row stays one, to be fetched with
      // others.
      if (first > 0 && Segment.linked(entries[first])) {
        from = Keys.after(key(entries[first - 1]));
      }
      if (Segment.linked(entries[last + 1])) {
        to = endOf(state, last, to);
      }
    }
    int bytes = HotIntervals.maxBytes(from, to);
    if (!choosing) {
      bytesByHeat[heat] += bytes;
    } else if (heat > coldest || heat == coldest && isInShare(bytes)) {
      chosen.add(new HotInterval(from, to, heat));
    }
  }

  private byte[] endOf(Segment.State state, int last, byte[] otherwise) {
    if (last + 1 < state.count()) {
      return key(state.entries()[last + 1]);
    }
    return state.end() == null ? otherwise : state.end();
  }

  // Spread evenly over the store.
  private boolean isInShare(int bytes) {
    credit += shareOfColdest * bytes;
    if (credit < bytes) {
      return false;
    }
    credit -= bytes;
    return true;
  }

  private byte[] key(long element) {
    return Entries.key(arena.chunk(element), Arena.offset(element));
  }
}
