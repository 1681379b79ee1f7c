package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which roll-up answers for which part of a query's time: the coarsest that there is. */
final class ReadPlan {
  /** A part of time, and what it is read from; whole buckets of it, unless those are seconds. */
  record Part(Resolution resolution, TimeRange range) {}

  /** What is rolled up. */
  interface RolledUp {
    /** The beginnings of the buckets in {@code whole} that are. */
    Set<Long> in(Resolution resolution, TimeRange whole) throws IOException;
  }

  private ReadPlan() {}

  /**
   * Cuts {@code range} into parts.
   *
   * @param coarsest what it may be read from at most
   */
  static List<Part> of(TimeRange range, Resolution coarsest, RolledUp rolledUp) throws IOException {
    List<Part> parts = new ArrayList<>();
    List<TimeRange> rest = List.of(range);
    Resolution[] all = Resolution.values();
    for (int i = coarsest.ordinal(); i > 0 && !rest.isEmpty(); i--) {
      List<TimeRange> finer = new ArrayList<>();
      for (TimeRange one : rest) {
        split(one, all[i], rolledUp, parts, finer);
      }
      rest = finer;
    }
    rest.forEach(one -> parts.add(new Part(Resolution.SECOND, one)));
    return parts;
  }

  private static void split(
      TimeRange range,
      Resolution resolution,
      RolledUp rolledUp,
      List<Part> parts,
      List<TimeRange> finer)
      throws IOException {
    TimeRange whole = range.whole(resolution);
    Set<Long> there = whole.isEmpty() ? Set.of() : rolledUp.in(resolution, whole);
    long done = range.fromMillis();
    long at = whole.fromMillis();
    while (at < whole.toMillis()) {
      long end = at;
      while (end < whole.toMillis() && there.contains(end)) {
        end += resolution.stepMillis();
      }
      if (end > at) {
        addIfAny(finer, new TimeRange(done, at));
        parts.add(new Part(resolution, new TimeRange(at, end)));
        done = end;
        at = end;
      } else {
        at += resolution.stepMillis();
      }
    }
    addIfAny(finer, new TimeRange(done, range.toMillis()));
  }

  private static void addIfAny(List<TimeRange> ranges, TimeRange range) {
    if (!range.isEmpty()) {
      ranges.add(range);
    }
  }
}
