package io.ishbase.sim.calibration;

import io.ishbase.sim.calibration.Observation.Predicted;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What the simulator predicts of observations that no cost was fitted to, and how far off it is.
 */
public final class Validation {
  private static final List<String> HEADER =
      List.of(
          "scenario", "row", "figure", "predicted", "measured", "difference", "bound", "", "limit");

  private final List<List<String>> lines = new ArrayList<>();
  private int checks;
  private int misses;
  private int rows;
  private int rowsMissed;

  private Validation() {}

  /** Predicts all of them. */
  public static Validation of(Costs costs, List<Observation> observations) {
    Predicted[] predicted =
        IntStream.range(0, observations.size())
            .parallel()
            .mapToObj(i -> observations.get(i).predict(costs))
            .toArray(Predicted[]::new);
    Validation validation = new Validation();
    for (int i = 0; i < predicted.length; i++) {
      validation.add(observations.get(i), predicted[i]);
    }
    return validation;
  }

  private void add(Observation observation, Predicted predicted) {
    boolean missed = false;
    for (Check check : Check.of(observation, predicted)) {
      lines.add(line(observation, check, limit(predicted)));
      checks++;
      misses += check.holds() ? 0 : 1;
      missed |= !check.holds();
    }
    rows++;
    rowsMissed += missed ? 1 : 0;
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
        check.holds() ? "" : "MISSED",
        limit);
  }

  private static String number(double value) {
    String format = value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.3f";
    return String.format(Locale.ROOT, format, value);
  }

  /** Whether every figure is within its bound. */
  public boolean holds() {
    return misses == 0;
  }

  /** All figures for people, a line each, and how many are within their bounds. */
  public String text() {
    int[] widths =
        IntStream.range(0, HEADER.size())
            .map(
                column ->
                    Math.max(
                        HEADER.get(column).length(),
                        lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(0)))
            .toArray();
    StringBuilder text = new StringBuilder(padded(HEADER, widths));
    lines.forEach(line -> text.append(padded(line, widths)));
    return text.append(
            String.format(
                Locale.ROOT,
                "%d of %d figures within their bounds; all figures of %d of %d rows%n",
                checks - misses,
                checks,
                rows - rowsMissed,
                rows))
        .toString();
  }

  private static String padded(List<String> line, int[] widths) {
    StringBuilder text = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String spaces = " ".repeat(widths[column] - line.get(column).length());
      boolean left = column < 3 || column > 6;
      text.append(left ? line.get(column) + spaces : spaces + line.get(column)).append("  ");
    }
    return text.toString().stripTrailing() + "\n";
  }
}
