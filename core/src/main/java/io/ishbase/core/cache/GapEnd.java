package io.ishbase.core.cache;

import io.ishbase.core.cache.Cursor.State;
import org.jspecify.annotations.Nullable;

/**
 * Where the request for a gap of a scan is to end: before the next run of cached rows that is worth
 * it. A round trip costs more than the rows that a short run would save. Used by one thread.
 */
public final class GapEnd {
  /** Rows of a run that are worth to end a request before them. */
  private static final int MIN_ROWS = 16;

  /** Runs that are looked at for one. */
  private static final int MAX_RUNS = 64;

  private byte @Nullable [] end;
  private boolean endInclusive;
  private byte @Nullable [] sightEnd;

  /**
   * Looks, from where the gap begins, for the next run that is worth it.
   *
   * @param ahead a cursor that nobody else uses, whose pin is held
   * @param stop row at which the scan stops; null: none
   */
  public void find(
      Cursor ahead,
      byte[] from,
      boolean fromInclusive,
      byte @Nullable [] stop,
      boolean stopInclusive) {
    end = null;
    sightEnd = null;
    State state = ahead.seek(from, fromInclusive, stop, stopInclusive);
    byte[] last = from;
    boolean lastInclusive = !fromInclusive;
    for (int run = 0; run < MAX_RUNS; run++) {
      if (state == State.GAP) {
        byte[] gapEnd = ahead.gapEnd();
        if (gapEnd == null) {
          return;
        }
        last = gapEnd;
        lastInclusive = ahead.gapEndInclusive();
        state = ahead.next();
      }
      int count = 0;
      while (state == State.ROW && ++count < MIN_ROWS) {
        state = ahead.next();
      }
      if (state == State.ROW) {
        end = last;
        endInclusive = lastInclusive;
        return;
      }
      if (state == State.END) {
        // Only some rows are left: not worth to stop before them.
        return;
      }
      if (count == 0) {
        // A gap that goes on behind its end is a long one.
        break;
      }
    }
    sightEnd = last;
  }

  /** Where the request is to end; null: not before the end of the scan, or not in sight. */
  public byte @Nullable [] end() {
    return end;
  }

  /** Whether the row {@link #end} is to be requested itself. */
  public boolean endInclusive() {
    return endInclusive;
  }

  /** The row behind which nobody looked for runs; null: there are none. */
  public byte @Nullable [] sightEnd() {
    return sightEnd;
  }
}
