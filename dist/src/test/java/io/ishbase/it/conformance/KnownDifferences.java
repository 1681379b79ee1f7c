package io.ishbase.it.conformance;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Methods of HBase's tests that pass with stock HBase and cannot pass here, each with its reason:
 * {@code known-differences.txt}.
 */
final class KnownDifferences {
  private static final List<Difference> ALL =
      Resources.lines("known-differences.txt").stream().map(Difference::of).toList();

  /**
   * One line of the file.
   *
   * @param testClass without {@code org.apache.hadoop.hbase}
   * @param method without parameters
   * @param passes empty: all that are not stock
   */
  record Difference(String testClass, String method, List<Pass> passes, String reason) {
    static Difference of(String line) {
      String[] fields = line.split("\\s*\\|\\s*", 3);
      String[] name = fields[0].split("#", 2);
      return new Difference(
          name[0],
          name[1],
          fields[1].isEmpty()
              ? List.of()
              : List.of(fields[1].split(" ")).stream().map(Pass::of).toList(),
          fields[2]);
    }

    boolean isOf(String shortName, Pass pass) {
      return testClass.equals(shortName)
          && (passes.isEmpty() ? !pass.isStock() : passes.contains(pass));
    }
  }

  private KnownDifferences() {}

  static List<Difference> all() {
    return ALL;
  }

  /** Method to reason. */
  static SortedMap<String, String> of(String shortName, Pass pass) {
    SortedMap<String, String> reasons = new TreeMap<>();
    for (Difference known : ALL) {
      if (known.isOf(shortName, pass)) {
        reasons.put(known.method(), known.reason());
      }
    }
    return reasons;
  }
}
