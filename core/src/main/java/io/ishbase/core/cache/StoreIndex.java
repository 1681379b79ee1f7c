package io.ishbase.core.cache;

import io.ishbase.core.cache.Segment.State;
import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.policy.Upgrades;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * Where the entries of a store are, in the order of their row keys, and between which of them
 * nothing lies. Lookups take no lock. All else is done under the cache's lock; nothing in here
 * takes or moves memory, so the index is the same from the beginning of a step to its end. Memory
 * is given back once no state shows what was in it: who looks then, under whatever pin, does not
 * find it.
 */
final class StoreIndex {
  private static final int MAX_ENTRIES = 64;

  /** Neighbours that together have no more entries than this become one segment. */
  private static final int FEW_ENTRIES = MAX_ENTRIES / 2;

  /** Segments that are changed under one hold of the lock: some hundred microseconds. */
  private static final int SEGMENTS_AT_ONCE = 64;

  static final byte[] LOWEST = {};
  private static final int ABSENCE = Entries.EDGE + 1;
  private static final long[] NO_ENTRIES = {Segment.TAIL};

  private final Arena arena;
  private final Upgrades upgrades;

  /** Segments; a set that takes row keys too, since a map would allocate an entry per lookup. */
  private final ConcurrentSkipListSet<Object> segments =
      new ConcurrentSkipListSet<>((a, b) -> Keys.compare(start(a), start(b)));

  /** Where something was looked for last that is to be changed. Guarded by the cache's lock. */
  private Segment changed;

  private volatile int segmentCount = 1;
  private long entryCount;
  private long linkedCount;

  /** By kind of entry; behind them, of rows that are not there. */
  private final long[] cachedBytes = new long[ABSENCE + 1];

  private long heapBytes;

  StoreIndex(Arena arena, Upgrades upgrades) {
    this.arena = arena;
    this.upgrades = upgrades;
    Segment all = new Segment(LOWEST, new State(NO_ENTRIES, null, false));
    segments.add(all);
    changed = all;
    addHeap(all.heapBytes(all.state));
  }

  private static byte[] start(Object segmentOrRow) {
    return segmentOrRow instanceof byte[] row ? row : ((Segment) segmentOrRow).start;
  }

  /** Upper bound of what inserting an entry adds to the heap. */
  static long growth(byte[] key) {
    return 256 + key.length;
  }

  // Lookups.

  /** The state of the segment that a row lies in. */
  State stateAt(byte[] row) {
    while (true) {
      State state = segmentAt(row).state;
      if (state.endsAfter(row)) {
        return state;
      }
      Thread.onSpinWait();
    }
  }

  /** The segment that a row lies in, unless its state ends before the row: then look again. */
  Segment segmentAt(byte[] row) {
    return (Segment) segments.floor(row);
  }

  /** Position of a row's entry, or, as {@code -1 - position}, of the first element behind it. */
  int search(State state, byte[] row) {
    long[] entries = state.entries();
    int low = 0;
    int high = state.count() - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      int comparison = compare(row, entries[middle]);
      if (comparison == 0) {
        return middle;
      }
      if (comparison < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return -1 - low;
  }

  /** Position of the first element at or behind a row. */
  int position(State state, byte[] row) {
    int position = search(state, row);
    return position >= 0 ? position : -1 - position;
  }

  private int compare(byte[] row, long element) {
    ByteBuffer chunk = arena.chunk(element);
    int entry = Arena.offset(element);
    return Keys.compare(row, chunk, Entries.keyOffset(entry), Entries.keyLength(chunk, entry));
  }

  /** Where a run begins behind a row that is not known, exclusive; null: nowhere. */
  byte @Nullable [] nextRun(byte[] row) {
    State state = stateAt(row);
    int position = search(state, row);
    byte[] last = row;
    for (int i = position >= 0 ? position + 1 : -1 - position; i < state.count(); i++) {
      long element = state.entries()[i];
      if (Segment.linked(element)) {
        return after(last);
      }
      last = Entries.key(arena.chunk(element), Arena.offset(element));
    }
    return Segment.linked(state.entries()[state.count()]) ? after(last) : state.end();
  }

  /** Null if no row key is so long: the run is not worth looking for it further. */
  private static byte @Nullable [] after(byte[] row) {
    return row.length < StoreCache.MAX_ROW_BYTES ? Keys.after(row) : null;
  }

  /** The element of the first row from this one on of which some columns are cached; 0: none. */
  long firstOfColumns(byte[] row) {
    byte @Nullable [] from = row;
    while (from != null) {
      State state = stateAt(from);
      for (int i = position(state, from); i < state.count(); i++) {
        long element = state.entries()[i];
        if (Entries.kind(arena.chunk(element), Arena.offset(element)) == Entries.COLUMNS) {
          return Segment.address(element);
        }
      }
      from = state.end();
    }
    return 0;
  }

  // Changes.

  /** The segment that a row lies in. One row often comes behind the other. */
  private Segment segmentOf(byte[] row) {
    assert arena.isLocked();
    Segment segment = changed;
    // One that is no more ends before any row.
    if (!segment.state.endsAfter(row) || Keys.compare(segment.start, row) > 0) {
      segment = segmentAt(row);
      changed = segment;
    }
    return segment;
  }

  /** The element of a row's entry; 0 if there is none. Addresses are never 0. */
  long get(byte[] row) {
    State state = segmentOf(row).state;
    int position = search(state, row);
    return position >= 0 ? state.entries()[position] : 0;
  }

  /** Whether it is known that there is nothing in a row that has no entry. */
  boolean knownEmpty(byte[] row) {
    State state = segmentOf(row).state;
    int position = search(state, row);
    return position < 0 && Segment.linked(state.entries()[-1 - position]);
  }

  /** Puts an entry in its place, or in that of the one of the same row. Links stay as they are. */
  void put(byte[] key, long address, boolean clean) {
    Segment segment = segmentOf(key);
    State state = segment.state;
    int position = search(state, key);
    long[] entries;
    long gone = 0;
    if (position >= 0) {
      entries = state.entries().clone();
      gone = entries[position];
      entries[position] = gone & Segment.LINK | address;
    } else {
      // If the interval was known to be empty, both halves of it still are.
      position = -1 - position;
      entries = new long[state.entries().length + 1];
      System.arraycopy(state.entries(), 0, entries, 0, position);
      entries[position] = state.entries()[position] & Segment.LINK | address;
      System.arraycopy(
          state.entries(), position, entries, position + 1, entries.length - position - 1);
    }
    add(address);
    set(segment, new State(entries, state.end(), state.unclean() || !clean));
    if (gone != 0) {
      release(gone);
    }
    if (entries.length - 1 > MAX_ENTRIES) {
      split(segment);
    }
  }

  /** Takes out a row's entry, if it is this one. */
  boolean remove(byte[] key, long address) {
    Segment segment = segmentOf(key);
    State state = segment.state;
    int position = search(state, key);
    if (position < 0 || Segment.address(state.entries()[position]) != address) {
      return false;
    }
    long[] entries = new long[state.entries().length - 1];
    System.arraycopy(state.entries(), 0, entries, 0, position);
    System.arraycopy(state.entries(), position + 1, entries, position, entries.length - position);
    entries[position] = Segment.address(entries[position]);
    set(segment, new State(entries, state.end(), state.unclean()));
    release(address);
    joinNeighbours(segment);
    return true;
  }

  /** Replaces the address of an entry that was copied. */
  void moved(byte[] key, long from, long to) {
    Segment segment = segmentOf(key);
    State state = segment.state;
    int position = search(state, key);
    long[] entries = state.entries().clone();
    entries[position] = entries[position] & Segment.LINK | to;
    add(to);
    set(segment, new State(entries, state.end(), state.unclean()));
    release(from);
  }

  /**
   * Takes note that nothing lies between two keys that have entries, or in the beginning of it: of
   * {@link #SEGMENTS_AT_ONCE} segments. Entries between them that say the same go.
   *
   * @param to null: the end of the store
   */
  void linkBetween(byte[] from, byte @Nullable [] to) {
    Segment segment = segmentOf(from);
    int start = search(segment.state, from);
    int first = start + 1;
    int seen = 0;
    while (segment != null
        && seen++ < SEGMENTS_AT_ONCE
        && (to == null || Keys.compare(segment.start, to) <= 0)) {
      State state = segment.state;
      int last = to != null && state.endsAfter(to) ? search(state, to) : state.count();
      if (start < 0 || last < 0) {
        throw new IllegalStateException("A link needs entries at its ends");
      }
      long[] before = state.entries();
      long[] entries = before.clone();
      int count = first;
      for (int i = first; i < before.length; i++) {
        if (i >= last || !isEmpty(before[i])) {
          entries[count++] = i <= last ? before[i] | Segment.LINK : before[i];
        }
      }
      set(segment, new State(Arrays.copyOf(entries, count), state.end(), state.unclean()));
      for (int i = first; i < last; i++) {
        if (isEmpty(before[i])) {
          release(before[i]);
        }
      }
      segment = next(joinLeft(segment));
      first = 0;
    }
  }

  private boolean isEmpty(long element) {
    return Entries.empty(arena.chunk(element), Arena.offset(element));
  }

  /**
   * Forgets an interval, or the beginning of it: of {@link #SEGMENTS_AT_ONCE} segments.
   *
   * @param to exclusive, beyond {@code from}; null: the end of the store
   * @return where to go on; null if nothing is left to do
   */
  byte @Nullable [] dropRange(byte[] from, byte @Nullable [] to) {
    Segment segment = segmentOf(from);
    int seen = 0;
    while (segment != null && (to == null || Keys.compare(segment.start, to) < 0)) {
      if (seen++ == SEGMENTS_AT_ONCE) {
        return segment.start;
      }
      State state = segment.state;
      int first = position(state, from);
      int behind = to != null && state.endsAfter(to) ? position(state, to) : state.count();
      long[] entries = state.entries().clone();
      // What comes next can no longer vouch for what lies before it.
      entries[behind] = Segment.address(entries[behind]);
      System.arraycopy(entries, behind, entries, first, entries.length - behind);
      set(
          segment,
          new State(
              Arrays.copyOf(entries, entries.length - behind + first),
              state.end(),
              state.unclean()));
      for (int i = first; i < behind; i++) {
        release(state.entries()[i]);
      }
      segment = next(joinLeft(segment));
    }
    return null;
  }

  /**
   * Drops the entries that are not clean of {@link #SEGMENTS_AT_ONCE} segments.
   *
   * @param from where to begin; empty: at the first row of the store
   * @return where to go on; null if nothing is left to do
   */
  byte @Nullable [] dropUnclean(byte[] from) {
    Segment segment = segmentOf(from);
    for (int seen = 0; segment != null; seen++) {
      if (seen == SEGMENTS_AT_ONCE) {
        return segment.start;
      }
      State state = segment.state;
      if (state.unclean()) {
        long[] entries = state.entries().clone();
        int count = 0;
        boolean dropped = false;
        for (long element : state.entries()) {
          if (isUnclean(element)) {
            dropped = true;
          } else {
            entries[count++] = dropped ? Segment.address(element) : element;
            dropped = false;
          }
        }
        set(segment, new State(Arrays.copyOf(entries, count), state.end(), false));
        for (long element : state.entries()) {
          if (isUnclean(element)) {
            release(element);
          }
        }
        segment = joinLeft(segment);
      }
      segment = next(segment);
    }
    return null;
  }

  private boolean isUnclean(long element) {
    return Segment.address(element) != Segment.TAIL
        && !Entries.clean(arena.chunk(element), Arena.offset(element));
  }

  private @Nullable Segment next(Segment segment) {
    return (Segment) segments.higher(segment);
  }

  private void split(Segment segment) {
    State state = segment.state;
    int middle = state.count() / 2;
    long[] entries = state.entries();
    long[] right = Arrays.copyOfRange(entries, middle, entries.length);
    byte[] border = Entries.key(arena.chunk(right[0]), Arena.offset(right[0]));
    long[] left = Arrays.copyOf(entries, middle + 1);
    left[middle] = Segment.TAIL | right[0] & Segment.LINK;
    // Between the border and the entry that lies on it there is nothing.
    right[0] |= Segment.LINK;
    Segment added = new Segment(border, new State(right, state.end(), state.unclean()));
    addHeap(added.heapBytes(added.state));
    linkedCount += added.state.linkedCount();
    segmentCount += 1;
    upgrades.split(segment.misses, added.misses);
    segments.add(added);
    set(segment, new State(left, border, state.unclean()));
  }

  private void joinNeighbours(Segment segment) {
    Segment right = next(segment);
    if (right != null) {
      joinLeft(right);
    }
    joinLeft(segment);
  }

  /**
   * Joins a segment with the one before it if both have few entries. Returns what is there then.
   */
  private Segment joinLeft(Segment segment) {
    Segment left = (Segment) segments.lower(segment);
    if (left == null || left.state.count() + segment.state.count() > FEW_ENTRIES) {
      return segment;
    }
    State a = left.state;
    State b = segment.state;
    long[] entries = Arrays.copyOf(a.entries(), a.count() + b.entries().length);
    System.arraycopy(b.entries(), 0, entries, a.count(), b.entries().length);
    if (!Segment.linked(a.entries()[a.count()])) {
      entries[a.count()] = Segment.address(entries[a.count()]);
    }
    set(left, new State(entries, b.end(), a.unclean() || b.unclean()));
    abandon(segment);
    return left;
  }

  /** Lets readers that still come here look again, until it is out of the set. */
  private void abandon(Segment segment) {
    addHeap(-segment.heapBytes(segment.state));
    linkedCount -= segment.state.linkedCount();
    segment.state = State.NOWHERE;
    segments.remove(segment);
    segmentCount -= 1;
  }

  private void set(Segment segment, State state) {
    addHeap((long) Long.BYTES * (state.entries().length - segment.state.entries().length));
    linkedCount += state.linkedCount() - segment.state.linkedCount();
    segment.state = state;
  }

  private void addHeap(long bytes) {
    heapBytes += bytes;
    arena.heapGrew(bytes);
  }

  private void add(long element) {
    count(element, 1);
  }

  private void release(long element) {
    count(element, -1);
    arena.release(Segment.address(element));
  }

  private void count(long element, int sign) {
    ByteBuffer chunk = arena.chunk(element);
    int entry = Arena.offset(element);
    int kind = Entries.kind(chunk, entry);
    boolean absence = kind == Entries.ROW && Entries.empty(chunk, entry);
    cachedBytes[absence ? ABSENCE : kind] += (long) sign * Entries.cachedBytes(chunk, entry);
    entryCount += sign;
  }

  /** Gives back the rest, once all is dropped. Not to be used afterwards but for lookups. */
  void close() {
    assert arena.isLocked();
    addHeap(-heapBytes);
    segmentCount = 0;
  }

  long entryCount() {
    return entryCount;
  }

  /** Entries with a link. */
  long linkedCount() {
    return linkedCount;
  }

  long cachedBytes() {
    return Arrays.stream(cachedBytes).sum();
  }

  /** Cached bytes of entries of that kind, absences apart. */
  long bytes(int kind) {
    return cachedBytes[kind];
  }

  long absenceBytes() {
    return cachedBytes[ABSENCE];
  }

  long heapBytes() {
    return heapBytes;
  }

  int segmentCount() {
    return segmentCount;
  }
}
