package io.ishbase.archetypes.metrics;

/**
 * By how much a counter is to change: the sum of what was added or recorded in a second of a series
 * and has not been sent yet.
 */
public final class Delta {
  private final Slot slot;
  private final Column column;
  private final long amount;

  Delta(Slot slot, Column column, long amount) {
    this.slot = slot;
    this.column = column;
    this.amount = amount;
  }

  Slot slot() {
    return slot;
  }

  Column column() {
    return column;
  }

  /** What is counted. */
  public Series series() {
    return slot.series();
  }

  /** The beginning of the second, in milliseconds since 1970. */
  public long timeMillis() {
    return Resolution.SECOND.start(slot.base(), column.offset());
  }

  /** What is added to the total, or how many values are added to a bin. */
  public long amount() {
    return amount;
  }

  @Override
  public String toString() {
    return "%s of %s at %d ms: %+d".formatted(column.kind(), series(), timeMillis(), amount);
  }
}
