package io.ishbase.it.conformance;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes {@code docs/results/conformance-all.md}. */
final class AllPage {
  private AllPage() {}

  /**
   * @param classes that there are, of which some may not have been run
   */
  static String of(Collection<AllResults.Result> results, int classes) {
    SortedMap<String, Integer> builds = new TreeMap<>();
    results.forEach(one -> builds.merge(one.date() + " at " + one.commit(), 1, Integer::sum));
    List<Comparison> sorted =
        results.stream()
            .map(AllResults.Result::comparison)
            .filter(one -> !isNoTest(one.run()))
            .toList();
    StringBuilder differing = new StringBuilder();
    StringBuilder alike = new StringBuilder();
    StringBuilder evidence = new StringBuilder();
    long methods = 0;
    int otherwise = 0;
    int skipped = 0;
    int withEvidence = 0;
    for (Comparison one : sorted) {
      String testClass = one.planned().testClass();
      ClassRun run = one.run();
      methods += run.passed().size();
      skipped += run.skipped().size();
      for (String method : one.differing()) {
        otherwise++;
        row(differing, testClass + "." + method, why(run, method));
      }
      one.knownDifferences()
          .forEach(
              (method, reason) -> row(differing, testClass + "." + method, "known: " + reason));
      if (one.stock() != null) {
        for (String method : run.failedMethods()) {
          if (one.stock().failedMethods().contains(method)) {
            row(alike, testClass + "." + method, why(one.stock(), method));
          }
        }
      }
      if (run.isEvidence()) {
        withEvidence++;
        evidence.append(
            String.format(
                Locale.ROOT,
                "| `%s` | %,d | %,d | %,d | %,d | %,d | %s |%n",
                testClass,
                run.passed().size(),
                run.counter(ClassRun.REQUESTS),
                run.counter(ClassRun.CELLS),
                run.counter(ClassRun.CACHE_HITS),
                run.counter(ClassRun.OFFLOADED),
                String.join(", ", run.counted(ClassRun.FALLBACK))));
      }
    }
    return Resources.text("all-page.md")
        .replace(
            "{builds}",
            builds.entrySet().stream()
                .map(build -> build.getKey() + " (" + build.getValue() + ")")
                .collect(Collectors.joining(", ")))
        .replace("{classes}", String.valueOf(classes))
        .replace("{run}", String.valueOf(results.size()))
        .replace("{tests}", String.valueOf(sorted.size()))
        .replace("{evident}", String.valueOf(withEvidence))
        .replace("{methods}", String.valueOf(methods))
        .replace("{skipped}", String.valueOf(skipped))
        .replace("{otherwise}", String.valueOf(otherwise))
        .replace("{differing}", differing.toString().strip())
        .replace("{alike}", alike.toString().strip())
        .replace("{evidence}", evidence.toString().strip());
  }

  // JUnit says so itself of a class whose name only begins as that of one.
  private static boolean isNoTest(ClassRun run) {
    return run.passed().isEmpty()
        && run.skipped().isEmpty()
        && run.failed().values().stream().allMatch(why -> why.contains("No runnable methods"));
  }

  private static void row(StringBuilder rows, String name, String why) {
    rows.append("| `").append(name).append("` | ").append(why).append(" |\n");
  }

  private static String why(ClassRun run, String method) {
    return run.failed().entrySet().stream()
        .filter(failure -> ClassRun.withoutParameters(failure.getKey()).equals(method))
        .map(Map.Entry::getValue)
        .findFirst()
        .map(text -> text.replace("|", "\\|"))
        .orElse("skipped");
  }
}
