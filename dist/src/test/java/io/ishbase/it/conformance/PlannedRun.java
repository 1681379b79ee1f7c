package io.ishbase.it.conformance;

import java.util.List;

/**
 * A class of HBase's tests and how it is run: a line of {@code classes.txt}.
 *
 * @param testClass without {@code org.apache.hadoop.hbase}
 * @param inCi whether it is run on each change; else for the page only
 */
record PlannedRun(String testClass, Pass pass, boolean inCi) {
  private static final String PACKAGE = "org.apache.hadoop.hbase.";

  /** All of the file, in its order: the longest first. */
  static List<PlannedRun> all() {
    return Resources.lines("classes.txt").stream().map(PlannedRun::of).toList();
  }

  static List<PlannedRun> inCiOnly() {
    return all().stream().filter(PlannedRun::inCi).toList();
  }

  /** {@code testClass} with or without {@code org.apache.hadoop.hbase}. */
  static PlannedRun of(String testClass, Pass pass) {
    return new PlannedRun(testClass.replace(PACKAGE, ""), pass, false);
  }

  private static PlannedRun of(String line) {
    String[] fields = line.split("\\s+");
    boolean inCi =
        switch (fields[2]) {
          case "ci" -> true;
          case "page" -> false;
          default -> throw new IllegalArgumentException("What is this: " + line);
        };
    return new PlannedRun(fields[0], Pass.of(fields[1]), inCi);
  }

  String fullName() {
    return PACKAGE + testClass;
  }
}
