package io.ishbase.it.defects;

import java.util.ArrayList;
import java.util.List;

/**
 * What tests did in one JVM, from the lines that {@link TestsMain} wrote.
 *
 * @param passed how many
 * @param failed {@code class#method}, in the order in which they failed
 * @param ran the test classes that came to their end
 * @param isWhole whether it came to its end
 */
record TestRun(int passed, List<String> failed, List<String> ran, boolean isWhole, long millis) {
  static final String PASSED = "passed";
  static final String FAILED = "failed";
  static final String RAN = "ran";
  static final String DONE = "done";

  static TestRun of(List<String> lines, long millis) {
    int passed = 0;
    List<String> failed = new ArrayList<>();
    List<String> ran = new ArrayList<>();
    boolean isWhole = false;
    for (String line : lines) {
      String[] fields = line.split("\t", 2);
      switch (fields[0]) {
        case PASSED -> passed++;
        case FAILED -> failed.add(fields[1]);
        case RAN -> ran.add(fields[1]);
        case DONE -> isWhole = true;
        default -> throw new IllegalArgumentException("What is this: " + line);
      }
    }
    return new TestRun(passed, failed, ran, isWhole, millis);
  }

  /** Whether some passed and none failed. */
  boolean isClean() {
    return isWhole && failed.isEmpty() && passed > 0;
  }
}
