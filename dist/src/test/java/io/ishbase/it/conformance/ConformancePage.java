package io.ishbase.it.conformance;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Writes {@code docs/conformance.md}. */
final class ConformancePage {
  private ConformancePage() {}

  static String of(List<Comparison> comparisons) {
    List<Comparison> sorted =
        comparisons.stream()
            .sorted(
                Comparator.comparing((Comparison one) -> one.planned().testClass())
                    .thenComparing(one -> one.planned().pass()))
            .toList();
    StringBuilder runs = new StringBuilder();
    StringBuilder known = new StringBuilder();
    for (Comparison one : sorted) {
      runs.append(row(one));
      differences(one, known);
    }
    return Resources.text("conformance-page.md")
        .replace("{differences}", known.toString().strip())
        .replace("{runs}", runs.toString().strip());
  }

  private static String row(Comparison one) {
    ClassRun run = one.run();
    return String.format(
        Locale.ROOT,
        "| `%s`%s | %s | %d of %d | %,d | %,d | %,d | %,d | %s | %s |%n",
        one.planned().testClass(),
        one.planned().inCi().mark(),
        one.planned().pass(),
        run.passed().size(),
        run.passed().size() + run.failed().size(),
        run.counter(ClassRun.REQUESTS),
        run.counter(ClassRun.CELLS),
        run.counter(ClassRun.CACHE_HITS),
        run.counter(ClassRun.OFFLOADED),
        String.join(", ", run.counted(ClassRun.LOCAL)),
        String.join(", ", run.counted(ClassRun.FALLBACK)));
  }

  private static void differences(Comparison one, StringBuilder known) {
    TreeMap<String, String> differing = new TreeMap<>(one.knownDifferences());
    one.unexpected().forEach(method -> differing.put(method, "**not known**"));
    differing.forEach(
        (method, reason) ->
            known.append(
                String.format(
                    "| `%s.%s` | %s | %s |%n",
                    one.planned().testClass(), method, one.planned().pass(), reason)));
  }
}
