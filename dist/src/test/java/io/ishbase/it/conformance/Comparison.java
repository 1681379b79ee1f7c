package io.ishbase.it.conformance;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One class in one pass, beside stock HBase in the same circumstances.
 *
 * @param stock null if it was not needed: nothing was skipped or failed but what is known to
 */
record Comparison(PlannedRun planned, ClassRun run, ClassRun stock) {
  private SortedMap<String, String> known() {
    return KnownDifferences.of(planned.testClass(), planned.pass());
  }

  /** Methods that fail and are known to. */
  SortedMap<String, String> knownDifferences() {
    SortedMap<String, String> known = known();
    known.keySet().retainAll(run.failedMethods());
    return known;
  }

  /** Methods that fail here, not in stock HBase, and not for a known reason. */
  SortedSet<String> unexpected() {
    // A class that did not run at all says nothing, so it counts as one.
    return run.passed().isEmpty() ? unknownFailures(planned, run) : differing();
  }

  /**
   * Methods that fail here and do not in stock HBase, not for a known reason, or are skipped here
   * and pass there, with some parameters or other.
   */
  SortedSet<String> differing() {
    SortedSet<String> methods = unknownFailures(planned, run);
    if (stock != null) {
      methods.removeAll(stock.failedMethods());
      SortedSet<String> newlySkipped = run.skippedMoreThanIn(stock);
      newlySkipped.retainAll(stock.passedMethods());
      methods.addAll(newlySkipped);
    }
    return methods;
  }

  /** Whether stock HBase has nothing to say of {@code run}. */
  static boolean isClear(PlannedRun planned, ClassRun run) {
    return run.skipped().isEmpty() && unknownFailures(planned, run).isEmpty();
  }

  static SortedSet<String> unknownFailures(PlannedRun planned, ClassRun run) {
    SortedSet<String> methods = new TreeSet<>(run.failedMethods());
    methods.removeAll(KnownDifferences.of(planned.testClass(), planned.pass()).keySet());
    return methods;
  }

  /**
   * Methods that are listed as different and pass, although all reads of the class were ours. Where
   * one of them went HBase's way, for a late answer say, it may have been the one that differs.
   */
  SortedSet<String> listedInVain() {
    if (run.readBlocks()) {
      return Collections.emptySortedSet();
    }
    SortedSet<String> methods = new TreeSet<>(known().keySet());
    methods.retainAll(run.passedMethods());
    return methods;
  }

  /** Whether the class says what it should. */
  boolean isAsExpected() {
    return unexpected().isEmpty()
        && listedInVain().isEmpty()
        && run.badAnswers() == 0
        && !(run.passed().isEmpty() && run.failed().isEmpty());
  }

  String text() {
    StringBuilder text = new StringBuilder(planned.testClass());
    text.append("\n  ").append(planned.pass()).append(": ").append(run.summary());
    if (stock != null) {
      text.append("\n  ").append(planned.pass().reference()).append(": ").append(stock.summary());
    }
    knownDifferences()
        .forEach((method, reason) -> text.append("\n  known    " + method + ": " + reason));
    SortedSet<String> unexpected = unexpected();
    for (Map.Entry<String, String> failure : run.failed().entrySet()) {
      String method = ClassRun.withoutParameters(failure.getKey());
      if (unexpected.contains(method)) {
        text.append("\n  DIFFERS  ").append(failure.getKey()).append(": ");
        text.append(failure.getValue());
      } else if (!known().containsKey(method)) {
        text.append("\n  fails in stock HBase, too: ").append(failure.getKey());
      }
    }
    if (stock != null) {
      unexpected.removeAll(run.failedMethods());
      unexpected.forEach(method -> text.append("\n  DIFFERS  " + method + ": skipped"));
    }
    listedInVain()
        .forEach(method -> text.append("\n  PASSES   " + method + ": take it off the list"));
    if (run.badAnswers() > 0) {
      text.append("\n  BAD ANSWERS");
    }
    if (run.passed().isEmpty() && run.failed().isEmpty()) {
      text.append("\n  NO TEST WAS RUN");
    }
    if (!run.isEvidence()) {
      text.append("\n  nothing was read or compacted in-storage");
    }
    return text.toString();
  }
}
