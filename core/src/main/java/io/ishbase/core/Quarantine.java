package io.ishbase.core;

import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which storage nodes and files are left alone because they failed. A failure closes the entry for
 * {@code first} milliseconds, each further one for twice as long, up to {@code max}. When the time
 * is over one caller is let through to try; the others are let through once it succeeded.
 *
 * <p>A pure state machine: the caller says what time it is. Safe for use by many threads.
 */
public final class Quarantine {
  /**
   * @param failedMillis when it failed last, or said that it is busy
   * @param isTried whether one caller is let through, and how that ends is not known yet
   * @param isBusy whether it has said itself for how long it is not to be asked
   */
  private record Entry(
      int failures, long failedMillis, long closedUntilMillis, boolean isTried, boolean isBusy) {}

  private final long firstMillis;
  private final long maxMillis;
  private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

  public Quarantine(long firstMillis, long maxMillis) {
    this.firstMillis = firstMillis;
    this.maxMillis = maxMillis;
  }

  /** Whether {@code name} may be used now. A true answer after a failure is the one try. */
  public boolean admits(String name, long nowMillis) {
    if (entries.isEmpty()) {
      return true;
    }
    Entry entry = entries.get(name);
    if (entry == null) {
      return true;
    }
    if (isClosed(entry, nowMillis)) {
      return false;
    }
    // Of all callers that come when the time is over, the one whose replace succeeds tries.
    return entries.replace(name, entry, tried(entry, nowMillis));
  }

  /** Whether {@code name} is left alone now. Other than {@link #admits} it takes nobody's try. */
  public boolean isClosed(String name, long nowMillis) {
    if (entries.isEmpty()) {
      return false;
    }
    Entry entry = entries.get(name);
    return entry != null && isClosed(entry, nowMillis);
  }

  // Much longer than the longest time it is never: then the clock was set back.
  private boolean isClosed(Entry entry, long nowMillis) {
    long left = entry.closedUntilMillis - nowMillis;
    return left > 0 && left <= maxMillis + firstMillis;
  }

  /**
   * Closes {@code name}.
   *
   * @return whether this is another failure than the last one: of requests that were under way
   *     together and failed together, the first
   */
  public boolean failed(String name, long nowMillis) {
    boolean[] isAnother = new boolean[1];
    entries.compute(
        name,
        (n, entry) -> {
          int failures = entry == null ? 1 : nextFailures(entry, nowMillis);
          isAnother[0] = entry == null || entry.isBusy || failures > entry.failures;
          return new Entry(failures, nowMillis, nowMillis + durationMillis(failures), false, false);
        });
    return isAnother[0];
  }

  /** Closes {@code name} for so long, or for longer if it failed; it is no failure of its. */
  public void close(String name, long nowMillis, long millis) {
    long until = nowMillis + Math.min(maxMillis, millis);
    entries.compute(
        name,
        (n, entry) ->
            entry != null
                    && !entry.isTried
                    && isClosed(entry, nowMillis)
                    && entry.closedUntilMillis >= until
                ? entry
                : new Entry(entry == null ? 1 : entry.failures, nowMillis, until, false, true));
  }

  /**
   * Opens {@code name} again, unless it has failed since, or has said for how long it is not to be
   * asked.
   *
   * @param atMillis when it succeeded, of which the caller may hear much later
   */
  public void succeeded(String name, long atMillis, long nowMillis) {
    if (!entries.isEmpty()) {
      entries.computeIfPresent(
          name,
          (n, entry) ->
              hasFailedSince(entry, atMillis, nowMillis)
                      || entry.isBusy && isClosed(entry, nowMillis)
                  ? entry
                  : null);
    }
  }

  // Nothing fails later than now: then the clock was set back.
  private static boolean hasFailedSince(Entry entry, long atMillis, long nowMillis) {
    return entry.failedMillis > atMillis && entry.failedMillis <= nowMillis;
  }

  /** The one try of {@code name} ended without anybody knowing how: there is another one. */
  public void untried(String name, long nowMillis) {
    entries.computeIfPresent(
        name,
        (n, entry) ->
            entry.isTried
                ? new Entry(entry.failures, entry.failedMillis, nowMillis, false, false)
                : entry);
  }

  /** What may not be used now. */
  public SortedSet<String> closed(long nowMillis) {
    SortedSet<String> names = new TreeSet<>();
    entries.forEach(
        (name, entry) -> {
          if (isClosed(entry, nowMillis)) {
            names.add(name);
          }
        });
    return names;
  }

  /**
   * Forgets what nobody has tried for ten times the longest duration: a file that is gone, a daemon
   * that has another name now.
   */
  public void forget(long nowMillis) {
    entries.values().removeIf(entry -> nowMillis - entry.closedUntilMillis > 10 * maxMillis);
  }

  /** Opens everything again. */
  public void clear() {
    entries.clear();
  }

  /** How many entries there are that failed and have not succeeded since. */
  public int size() {
    return entries.size();
  }

  // Requests that were under way together fail together: they count as one failure. A try is one
  // more, however soon it fails.
  private int nextFailures(Entry entry, long nowMillis) {
    if (entry.isTried) {
      return entry.failures + 1;
    }
    long closedAt = entry.closedUntilMillis - durationMillis(entry.failures);
    return nowMillis - closedAt < firstMillis ? entry.failures : entry.failures + 1;
  }

  private Entry tried(Entry entry, long nowMillis) {
    return new Entry(
        entry.failures,
        entry.failedMillis,
        nowMillis + durationMillis(entry.failures),
        true,
        false);
  }

  private long durationMillis(int failures) {
    return Math.min(maxMillis, firstMillis << Math.min(20, failures - 1));
  }
}
