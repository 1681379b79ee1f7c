package io.ishbase.archetypes.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Increments that wait to be sent, added up by column. Time is given to it. Not safe for several
 * threads: its writer's lock guards it.
 */
final class IncrementBuffer {
  /**
   * The largest change of a counter in one increment, 2<sup>53</sup>: small enough that a counter
   * whose value is looked at after each increment is seen to come near the bounds of a long.
   */
  static final long MAX_AMOUNT = 1L << 53;

  /** What waits for one row. */
  static final class Waiting {
    private final Map<Column, Long> amounts = new HashMap<>();
    private int calls;

    Map<Column, Long> amounts() {
      return amounts;
    }

    /** How many calls it is the sum of. */
    int calls() {
      return calls;
    }

    /** Moves what counts seconds before {@code millis} to {@code dropped}. */
    void dropBefore(Slot slot, long millis, List<Delta> dropped) {
      amounts
          .entrySet()
          .removeIf(
              one -> {
                Column column = one.getKey();
                boolean drops = Resolution.SECOND.start(slot.base(), column.offset()) < millis;
                if (drops) {
                  dropped.add(new Delta(slot, column, one.getValue()));
                }
                return drops;
              });
    }

    private boolean fits(Map<Column, Long> more) {
      return more.entrySet().stream()
          .allMatch(
              one ->
                  Math.abs(amounts.getOrDefault(one.getKey(), 0L) + one.getValue()) <= MAX_AMOUNT);
    }

    /** Returns how many columns are new. */
    private int add(Map<Column, Long> more) {
      int before = amounts.size();
      more.forEach((column, amount) -> amounts.merge(column, amount, Long::sum));
      calls++;
      return amounts.size() - before;
    }
  }

  private final int maxColumns;
  private final long maxAgeMillis;

  /** Each is sent before the next: the same column may be in several, see {@link #MAX_AMOUNT}. */
  private List<Map<Slot, Waiting>> rounds = new ArrayList<>();

  private int columns;
  private long oldestMillis;

  IncrementBuffer(int maxColumns, long maxAgeMillis) {
    this.maxColumns = maxColumns;
    this.maxAgeMillis = maxAgeMillis;
  }

  /** Adds to one row; amounts are at most {@link #MAX_AMOUNT}. */
  void add(Slot slot, Map<Column, Long> amounts, long nowMillis) {
    if (columns == 0) {
      oldestMillis = nowMillis;
    }
    if (rounds.isEmpty() || !fits(slot, amounts)) {
      rounds.add(new LinkedHashMap<>());
    }
    columns +=
        rounds.get(rounds.size() - 1).computeIfAbsent(slot, unknown -> new Waiting()).add(amounts);
  }

  private boolean fits(Slot slot, Map<Column, Long> amounts) {
    Waiting waiting = rounds.get(rounds.size() - 1).get(slot);
    return waiting == null || waiting.fits(amounts);
  }

  /** Whether it is full, or has something that has waited long enough. */
  boolean isDue(long nowMillis) {
    // A clock that was set back says nothing of their age.
    boolean isOld = nowMillis < oldestMillis || nowMillis - oldestMillis >= maxAgeMillis;
    return columns >= maxColumns || columns > 0 && isOld;
  }

  /** How many columns wait. */
  int columns() {
    return columns;
  }

  /** Takes all that waits. */
  Collection<Map<Slot, Waiting>> drain() {
    List<Map<Slot, Waiting>> drained = rounds;
    rounds = new ArrayList<>();
    columns = 0;
    return drained;
  }
}
