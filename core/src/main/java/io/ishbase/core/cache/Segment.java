package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Keys;
import io.ishbase.core.cache.policy.Upgrades;
import org.jspecify.annotations.Nullable;

/**
 * An interval of row keys with the entries that are cached of it. It ends where the next segment
 * begins.
 *
 * <p>Readers take one volatile read of {@link #state}, which by itself is true of the whole
 * interval: that nothing lies between two entries, before the first, or behind the last, is known
 * within a segment and not across its border. Writers hold the cache's lock, and replace the state.
 * When a segment gives up a part of its interval, that part is in the set of segments before the
 * state shrinks; a reader who came too early finds its row beyond the end and looks again.
 */
final class Segment {
  /** Set in an element of {@link State#entries}: nothing lies between the one before and this. */
  static final long LINK = Long.MIN_VALUE;

  /** The last element, which stands for the end of the segment. */
  static final long TAIL = Long.MAX_VALUE;

  /**
   * This, its state, two arrays' headers, a node and half an index node of the set; with a margin.
   */
  private static final int OBJECT_BYTES =
      24 + 24 + 2 * 16 + 24 + 12 + 12 + Upgrades.Misses.OBJECT_BYTES;

  final byte[] start;
  final Upgrades.Misses misses = new Upgrades.Misses();
  volatile State state;

  Segment(byte[] start, State state) {
    this.start = start;
    this.state = state;
  }

  /**
   * Estimate of the Java heap that a segment with this state takes, its place in a set included.
   */
  long heapBytes(State of) {
    return OBJECT_BYTES + (start.length + 7L & ~7L) + (long) Long.BYTES * of.entries.length;
  }

  static boolean linked(long element) {
    return element < 0;
  }

  static long address(long element) {
    return element & ~LINK;
  }

  /** What is known of an interval. Does not change. */
  static final class State {
    /** Of no interval: it ends before any row. */
    static final State NOWHERE = new State(new long[] {TAIL}, new byte[0], false);

    private final long[] entries;
    private final byte @Nullable [] end;
    private final boolean unclean;

    State(long[] entries, byte @Nullable [] end, boolean unclean) {
      this.entries = entries;
      this.end = end;
      this.unclean = unclean;
    }

    /** Addresses in the order of their keys, then {@link #TAIL}. */
    long[] entries() {
      return entries;
    }

    /** End of the interval, exclusive; null if there is none. */
    byte @Nullable [] end() {
      return end;
    }

    /** Whether there may be entries that are not clean. */
    boolean unclean() {
      return unclean;
    }

    int count() {
      return entries.length - 1;
    }

    /** Entries with a link. */
    int linkedCount() {
      int linked = 0;
      for (int i = 0; i < count(); i++) {
        linked += (int) (entries[i] >>> Long.SIZE - 1);
      }
      return linked;
    }

    boolean endsAfter(byte[] key) {
      return end == null || Keys.compare(key, end) < 0;
    }
  }
}
