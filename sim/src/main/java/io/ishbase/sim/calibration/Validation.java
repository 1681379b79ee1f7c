package io.ishbase.sim.calibration;

import io.ishbase.sim.calibration.Observation.Predicted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What the simulator predicts of observations that no cost was fitted to, and how far off it is.
 */
public final class Validation {
  private static final List<String> HEADER =
      List.of(
          "scenario", "row", "figure", "predicted", "measured", "difference", "bound", "", "limit");

  private static final List<String> COUNTS =
      List.of("figures of", "within", "outside", "not judged", "rows with none outside");

  private final List<List<String>> lines = new ArrayList<>();
  private final Map<String, Counts> byScenario = new LinkedHashMap<>();

  /** How many figures, and how many rows. */
  private static final class Counts {
    int within;
    int outside;
    int notJudged;
    int rows;
    int rowsWithin;

    void add(Check check) {
      within += check.isJudged() && check.holds() ? 1 : 0;
      outside += check.holds() ? 0 : 1;
      notJudged += check.isJudged() ? 0 : 1;
    }

    void add(Counts other) {
      within += other.within;
      outside += other.outside;
      notJudged += other.notJudged;
      rows += other.rows;
      rowsWithin += other.rowsWithin;
    }

    List<String> line(String name) {
      return List.of(name, "" + within, "" + outside, "" + notJudged, rowsWithin + " of " + rows);
    }
  }

  /** Nothing is predicted yet. */
  public Validation() {}

  /** Predicts all of them. */
  public static Validation of(Costs costs, List<Observation> observations) {
    Validation validation = new Validation();
    validation.add(costs, observations);
    return validation;
  }

  /** Predicts more, with costs of theirs. */
  public void add(Costs costs, List<Observation> observations) {
    Predicted[] predicted =
        IntStream.range(0, observations.size())
            .parallel()
            .mapToObj(i -> observations.get(i).predict(costs))
            .toArray(Predicted[]::new);
    for (int i = 0; i < predicted.length; i++) {
      add(observations.get(i), predicted[i]);
    }
  }

  private void add(Observation observation, Predicted predicted) {
    Counts ofRow = new Counts();
    for (Check check : Check.of(observation, predicted)) {
      lines.add(line(observation, check, limit(predicted)));
      ofRow.add(check);
    }
    ofRow.rows = 1;
    ofRow.rowsWithin = ofRow.outside == 0 ? 1 : 0;
    byScenario.computeIfAbsent(observation.scenario(), name -> new Counts()).add(ofRow);
  }

  private static String limit(Predicted predicted) {
    return !Check.lineLimits(predicted)
        ? "processors"
        : predicted.inBusy() > predicted.outBusy() ? "line in" : "line out";
  }

  private static List<String> line(Observation observation, Check check, String limit) {
    return List.of(
        observation.scenario(),
        observation.row(),
        check.figure(),
        number(check.predicted()),
        number(check.measured()),
        check.isAbsolute()
            ? String.format(Locale.ROOT, "%+.3f", check.difference())
            : String.format(Locale.ROOT, "%+.1f %%", 100 * check.difference()),
        check.isAbsolute()
            ? String.format(Locale.ROOT, "%.2f", check.bound())
            : String.format(Locale.ROOT, "%.0f %%", 100 * check.bound()),
        check.notJudged() != null ? check.notJudged() : check.holds() ? "" : "MISSED",
        limit);
  }

  private static String number(double value) {
    String format = value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.3f";
    return String.format(Locale.ROOT, format, value);
  }

  /** Whether every figure is within its bound. Where nothing was predicted, none is. */
  public boolean holds() {
    return !byScenario.isEmpty()
        && byScenario.values().stream().allMatch(counts -> counts.outside == 0);
  }

  /** All figures for people, a line each, and how many of each scenario are within their bounds. */
  public String text() {
    List<List<String>> counts = new ArrayList<>();
    Counts all = new Counts();
    byScenario.forEach(
        (scenario, each) -> {
          counts.add(each.line(scenario));
          all.add(each);
        });
    counts.add(all.line("all"));
    return table(HEADER, lines, 3) + "\n" + table(COUNTS, counts, 1);
  }

  /** Numbers stand at the right, up to the column of the bound. */
  private static String table(List<String> header, List<List<String>> lines, int words) {
    int[] widths =
        IntStream.range(0, header.size())
            .map(
                column ->
                    Math.max(
                        header.get(column).length(),
                        lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(0)))
            .toArray();
    StringBuilder text = new StringBuilder(padded(header, widths, words));
    lines.forEach(line -> text.append(padded(line, widths, words)));
    return text.toString();
  }

  private static String padded(List<String> line, int[] widths, int words) {
    StringBuilder text = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String spaces = " ".repeat(widths[column] - line.get(column).length());
      boolean left = column < words || column > 6;
      text.append(left ? line.get(column) + spaces : spaces + line.get(column)).append("  ");
    }
    return text.toString().stripTrailing() + "\n";
  }
}
