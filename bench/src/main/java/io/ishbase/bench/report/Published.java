package io.ishbase.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Results as they stand in the source tree: a page with the table, made of nothing but what was
 * measured, and the figures without the single windows.
 */
public final class Published {
  private Published() {}

  /**
   * What forbids to quote them, in one line; empty if nothing does.
   *
   * <p>Figures are quoted with a commit from which everybody can measure them again.
   */
  public static String objection(Results results) {
    String commit = results.facts().getOrDefault("commit", "");
    if (commit.isEmpty()) {
      return results.scenario() + " names no commit: measure in a git repository";
    }
    return commit.endsWith(Results.DIRTY)
        ? results.scenario()
            + " was measured with uncommitted changes ("
            + commit
            + "): commit, then measure again"
        : "";
  }

  /** Writes page and figures of a scenario. */
  public static void write(Results results, Path dir) throws IOException {
    results.writeSummary(dir.resolve(results.scenario() + ".json"));
    Files.writeString(dir.resolve(results.scenario() + ".md"), page(results));
  }

  static String page(Results results) {
    StringBuilder page = new StringBuilder("# " + results.scenario() + "\n");
    page.append("<!-- Written by ./ishbase bench publish; do not edit. -->\n");
    page.append(results.description()).append(".\n\n");
    page.append("    ").append(results.facts().getOrDefault("command", "")).append("\n\n");
    String objection = objection(results);
    if (!objection.isEmpty()) {
      page.append("**Not to be quoted:** ").append(objection).append(".\n\n");
    }
    page.append(
        results.conditions().entrySet().stream()
            .map(condition -> "- " + condition.getKey() + ": " + condition.getValue() + "\n")
            .collect(Collectors.joining()));
    results.notes().forEach(note -> page.append("- ").append(note).append('\n'));
    page.append('\n').append(Table.all(results.rows()).markdown());
    if (!results.costs().isEmpty()) {
      page.append('\n').append(Report.COSTS).append(":\n\n");
      page.append(Table.all(results.costs()).markdown());
    }
    return page.toString();
  }

  /** The facts that an earlier version wrote in place of conditions. */
  static Map<String, String> conditionsAmong(Map<String, String> facts) {
    return List.of(
            "commit",
            "begun",
            "cores",
            "region servers",
            "block cache bytes of each daemon",
            "properties of all",
            "client threads, unless a row says otherwise",
            "windows for each variant and row",
            "seconds of a window")
        .stream()
        .filter(facts::containsKey)
        .collect(
            Collectors.toMap(name -> name, facts::get, (a, b) -> a, java.util.LinkedHashMap::new));
  }
}
