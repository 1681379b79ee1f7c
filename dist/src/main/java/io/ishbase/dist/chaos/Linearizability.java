package io.ishbase.dist.chaos;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether there is an order of a row's operations that explains every answer, in which none comes
 * before one that had ended when it began (Wing and Gong, 1993). Which operations were put in order
 * and what the row holds then is looked at once only (Lowe, 2017).
 *
 * <p>An operation without an end may come anywhere behind its beginning, or not at all.
 */
final class Linearizability {
  /** Operations of a history: as many as a word has bits. */
  static final int MOST = Long.SIZE;

  private final List<Operation> operations;
  private final long known;

  /** What was tried: operations in order, as bits, and the state behind them. */
  private final Set<Tried> tried = new HashSet<>();

  private record Tried(long done, RowState state) {}

  private Linearizability(List<Operation> operations) {
    this.operations = operations;
    long bits = 0;
    for (int i = 0; i < operations.size(); i++) {
      bits |= operations.get(i).isKnown() ? 1L << i : 0;
    }
    this.known = bits;
  }

  /**
   * Whether the history of a row that was empty is linearizable.
   *
   * @throws IllegalArgumentException if it has more than {@link #MOST} operations
   */
  static boolean holds(List<Operation> history) {
    if (history.size() > MOST) {
      throw new IllegalArgumentException(history.size() + " operations");
    }
    List<Operation> ordered =
        history.stream().sorted(Comparator.comparingLong(Operation::beginNanos)).toList();
    return new Linearizability(ordered).explains(0, RowState.EMPTY);
  }

  private boolean explains(long done, RowState state) {
    if ((done & known) == known) {
      return true;
    }
    if (!tried.add(new Tried(done, state))) {
      return false;
    }
    long firstEnd = Operation.NEVER;
    for (long left = ~done & known; left != 0; left &= left - 1) {
      firstEnd = Math.min(firstEnd, operations.get(Long.numberOfTrailingZeros(left)).endNanos());
    }
    for (int i = 0; i < operations.size(); i++) {
      Operation next = operations.get(i);
      if (next.beginNanos() > firstEnd) {
        // As do all behind it, it begins when one that is not in order yet has ended.
        return false;
      }
      if ((done >> i & 1) == 0) {
        RowState after = next.after(state);
        if (after != null && explains(done | 1L << i, after)) {
          return true;
        }
      }
    }
    return false;
  }
}
