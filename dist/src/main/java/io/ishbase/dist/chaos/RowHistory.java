package io.ishbase.dist.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;

/**
 * One row from its first operation to its last. It takes a bounded number of operations, and none
 * after one of which nobody knows whether it was carried out, so that its history stays short.
 * Thread safe.
 */
final class RowHistory {
  /** With the reads behind the last one, and one that is under way for each client. */
  private static final int MOST_BEGUN = Linearizability.MOST - 16;

  private final String key;

  /**
   * A delete hides what is written in the same millisecond, also behind it (HBase orders cells by
   * time): nobody writes while one is under way, or before the next millisecond.
   */
  private final ReadWriteLock deletes = new ReentrantReadWriteLock();

  /** Later than what may be under way together can be out of order. */
  private static final int SLACK_MILLIS = 16;

  /**
   * No later than which the cells of increments and appends are: HBase gives each the time of the
   * one before and a millisecond at least, and so a time that has not come yet.
   */
  private long latestMillis;

  private final List<Operation> operations = new ArrayList<>();
  private int begun;
  private int underWay;
  private boolean isEnding;

  RowHistory(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }

  ReadWriteLock deletes() {
    return deletes;
  }

  /** An increment or append has ended, at that time of the servers' clocks. */
  synchronized void added(long nowMillis) {
    latestMillis = Math.max(latestMillis + 1, nowMillis);
  }

  /** From when on a delete hides all that was there before. */
  synchronized long deletableMillis() {
    return latestMillis == 0 ? 0 : latestMillis + SLACK_MILLIS;
  }

  /** Whether an operation may begin; if so {@link #ended} follows. */
  synchronized boolean begin() {
    if (isEnding) {
      return false;
    }
    begun++;
    underWay++;
    isEnding = begun == MOST_BEGUN;
    return true;
  }

  /**
   * An operation has ended.
   *
   * @param operation null: it changes nothing, and nobody knows its answer
   * @return whether it was the last one
   */
  synchronized boolean ended(Operation operation) {
    underWay--;
    if (operation != null) {
      operations.add(operation);
      isEnding |= !operation.isKnown();
    }
    return isEnding && underWay == 0;
  }

  /** Takes no further operation. Whether none is under way. */
  synchronized boolean end() {
    isEnding = true;
    return underWay == 0;
  }

  /** Adds a read behind the last operation. */
  synchronized void read(Operation read) {
    operations.add(read);
  }

  /** Whether of all changes it is known how they ended. */
  synchronized boolean isKnown() {
    return operations.stream().allMatch(Operation::isKnown);
  }

  synchronized int size() {
    return operations.size();
  }

  synchronized boolean isLinearizable() {
    return Linearizability.holds(operations);
  }

  /** One operation a line, by their beginnings. */
  @Override
  public synchronized String toString() {
    long first = operations.stream().mapToLong(Operation::beginNanos).min().orElse(0);
    return operations.stream()
        .sorted((a, b) -> Long.compare(a.beginNanos(), b.beginNanos()))
        .map(
            each ->
                String.format(
                    "  client %d, %,d to %s us: %s%s%s -> %s",
                    each.client(),
                    (each.beginNanos() - first) / 1000,
                    each.isKnown()
                        ? String.format("%,d", (each.endNanos() - first) / 1000)
                        : "ever",
                    each.kind(),
                    each.argument() == null ? "" : " " + each.argument(),
                    each.kind() == Operation.Kind.CHECK_AND_PUT ? " if " + each.expected() : "",
                    each.result()))
        .collect(Collectors.joining("\n", key + "\n", ""));
  }
}
