package io.ishbase.it.defects;

import java.util.List;

/**
 * What became of a defect.
 *
 * @param failed the tests that caught it, {@code class#method}
 * @param ran the test classes that came to their end
 * @param isOver whether all of its tests came to their end
 */
record Verdict(Defect defect, List<String> failed, List<String> ran, boolean isOver, long millis) {
  private static final int SHOWN = 3;

  boolean isCaught() {
    return !failed.isEmpty();
  }

  /** Those test classes in which nothing failed. */
  List<String> blind() {
    return ran.stream()
        .filter(name -> failed.stream().noneMatch(test -> test.startsWith(name)))
        .toList();
  }

  /** By what it was caught, in words. */
  String caughtBy() {
    List<String> tests = failed.stream().distinct().toList();
    String shown = String.join(", ", tests.subList(0, Math.min(SHOWN, tests.size())));
    return tests.size() <= SHOWN ? shown : shown + " and " + (tests.size() - SHOWN) + " more";
  }

  String text() {
    String by =
        isCaught()
            ? "caught by " + caughtBy() + (blind().isEmpty() ? "" : "; not by " + blind())
            : isOver ? "NOT CAUGHT by " + blind() : "NOT CAUGHT, and the tests do not end";
    return String.format("%-28s %4d s  %s", defect.name(), (millis + 500) / 1000, by);
  }
}
