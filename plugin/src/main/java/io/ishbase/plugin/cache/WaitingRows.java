package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.hbase.ExtendedCell;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of rows of which one part of a store's files has told all: rows that wait for the other
 * parts. What waits is bounded: where it would be more, the stretch begins anew behind it. Used by
 * one thread.
 */
final class WaitingRows implements RowSink {
  /**
   * What a part has of a row.
   *
   * @param cells null: not all are known, or they are too many
   */
  private record Waiting(byte[] row, @Nullable List<ExtendedCell> cells, long bytes) {}

  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final long maxBytes;
  private long bytes;
  private @Nullable Border from;
  private @Nullable Border to;

  /**
   * @param maxBytes that may wait
   */
  WaitingRows(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void begin(byte[] row, boolean inclusive) {
    clear();
    from = inclusive ? Border.before(row) : Border.behind(row);
    to = from;
  }

  @Override
  public void coming(byte[] row) {
    to = Border.before(row);
  }

  @Override
  public void row(byte[] row, List<ExtendedCell> cells, long rowBytes) {
    add(new Waiting(row, List.copyOf(cells), rowBytes));
  }

  @Override
  public void unfit(byte[] row) {
    add(new Waiting(row, null, row.length));
  }

  private void add(Waiting next) {
    waiting.add(next);
    bytes += next.bytes();
    to = Border.behind(next.row());
    if (bytes > maxBytes) {
      clear();
      from = to;
    }
  }

  @Override
  public void reachedBefore(byte[] row) {
    to = Border.before(row);
  }

  @Override
  public void reachedThrough(byte[] row) {
    to = Border.behind(row);
  }

  @Override
  public void reachedEnd() {
    to = Border.END;
  }

  /** Whether there is a stretch at all. */
  boolean hasBegun() {
    return to != null;
  }

  /** Where the stretch begins. */
  Border from() {
    return requireNonNull(from, "nothing has come");
  }

  /** Where it ends. */
  Border to() {
    return requireNonNull(to, "nothing has come");
  }

  /** The first row that waits; null: none. */
  byte @Nullable [] first() {
    Waiting first = waiting.peek();
    return first == null ? null : first.row();
  }

  /** Takes the first row that waits: its cells, or null if they are not to be cached. */
  @Nullable List<ExtendedCell> take() {
    Waiting first = waiting.remove();
    bytes -= first.bytes();
    return first.cells();
  }

  /** What lies before a border is not wanted any more. */
  void drop(Border before) {
    for (byte[] row = first(); row != null && Border.before(row).isBefore(before); row = first()) {
      take();
    }
    if (from != null && from.isBefore(before)) {
      from = before;
    }
  }

  /** Bytes of the rows that wait. */
  long heldBytes() {
    return bytes;
  }

  void clear() {
    waiting.clear();
    bytes = 0;
  }
}
