package io.ishbase.it.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes {@code docs/results/conformance-all.md}. */
final class AllPage {
  private AllPage() {}

  /**
   * @param classes that there are, of which some may not have been run
   */
  static String of(List<Comparison> comparisons, int classes) throws IOException {
    List<Comparison> sorted =
        comparisons.stream()
            .filter(one -> !isNoTest(one.run()))
            .sorted(Comparator.comparing(one -> one.planned().testClass()))
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
        .replace("{commit}", commit())
        .replace("{date}", LocalDate.now(ZoneOffset.UTC).toString())
        .replace("{classes}", String.valueOf(classes))
        .replace("{run}", String.valueOf(comparisons.size()))
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
        .map(text -> text.substring(0, Math.min(160, text.length())).replace("|", "\\|"))
        .orElse("");
  }

  private static String commit() throws IOException {
    Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
    try (InputStream out = git.getInputStream()) {
      return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
