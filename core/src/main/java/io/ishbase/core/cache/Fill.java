package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Content;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Keys;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fill of an interval of whole rows, in ascending order, as a scan of the files proceeds. Each
 * call extends the run at once; one that does not land leaves a hole in the run, no wrong answer.
 * There is nothing to close. Used by one thread at a time.
 */
public final class Fill {
  private final StoreCache store;
  private final Ticket ticket;
  private final boolean isUpgrade;

  /** The row that was asked for, if this is an upgrade. */
  private final byte[] asked;

  private byte[] reached;
  private boolean reachedInclusive;

  Fill(StoreCache store, Ticket ticket, byte[] from, boolean fromInclusive, boolean isUpgrade) {
    this.isUpgrade = isUpgrade;
    asked = from;
    this.store = store;
    this.ticket = ticket;
    reached = from;
    reachedInclusive = fromInclusive;
  }

  /**
   * The next row of the interval: there is nothing between the one before, or where the interval
   * begins, and this.
   *
   * @param payload all cells of the row; not empty
   * @param clean whether no compaction could drop any of it
   * @return whether the row is covered now
   * @throws IllegalArgumentException if the row is not beyond what was reached
   */
  public boolean row(byte[] row, byte[] payload, int offset, int length, boolean clean) {
    return row(row, payload, offset, length, clean, null);
  }

  /**
   * The same, of a row that is trimmed.
   *
   * @param mayBeTrimmed whether it may be, asked while nobody else changes the cache; if not, the
   *     row is not covered
   * @see Merge.Merged#trimmed
   */
  public boolean trimmedRow(
      byte[] row, byte[] payload, boolean clean, BooleanSupplier mayBeTrimmed) {
    return row(row, payload, 0, payload.length, clean, mayBeTrimmed);
  }

  private boolean row(
      byte[] row,
      byte[] payload,
      int offset,
      int length,
      boolean clean,
      @Nullable BooleanSupplier mayBeTrimmed) {
    check(row);
    boolean scanned = !isUpgrade || Keys.compare(row, asked) != 0;
    Content content =
        new Content(
            Entries.ROW,
            new byte[0],
            payload,
            offset,
            length,
            clean,
            scanned,
            isUpgrade && scanned,
            mayBeTrimmed != null);
    boolean landed = store.fillRow(ticket, reached, reachedInclusive, row, content, mayBeTrimmed);
    reach(row, false);
    return landed;
  }

  /**
   * Nothing lies between the last row and this, which may be there or not.
   *
   * @return whether that is kept
   */
  public boolean reachedBefore(byte[] row) {
    if (Keys.compare(row, reached) == 0) {
      return true;
    }
    check(row);
    boolean landed = store.fillReachedBefore(ticket, reached, reachedInclusive, row);
    reach(row, true);
    return landed;
  }

  /**
   * Nothing lies behind the last row up to this, which is not there, unless it is the last row
   * itself.
   *
   * @return whether that is kept
   */
  public boolean reachedThrough(byte[] row) {
    if (!reachedInclusive && Keys.compare(row, reached) == 0) {
      return true;
    }
    check(row);
    boolean landed = store.fillReachedThrough(ticket, reached, reachedInclusive, row);
    reach(row, false);
    return landed;
  }

  /**
   * Nothing lies behind the last row.
   *
   * @return whether that is kept
   */
  public boolean reachedEnd() {
    return store.fillReachedEnd(ticket, reached, reachedInclusive);
  }

  private void check(byte[] row) {
    int comparison = Keys.compare(row, reached);
    if (comparison < 0 || comparison == 0 && !reachedInclusive) {
      throw new IllegalArgumentException("Rows of a fill must ascend");
    }
  }

  private void reach(byte[] row, boolean inclusive) {
    reached = row.clone();
    reachedInclusive = inclusive;
  }
}
