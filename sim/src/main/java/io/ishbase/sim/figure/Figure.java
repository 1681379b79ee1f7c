package io.ishbase.sim.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A figure that was simulated, as a table.
 *
 * @param name by which it is asked for
 * @param seed what the seed's text says of it
 * @param xLabel what the rows are
 * @param yLabel what the plotted columns are, with unit
 * @param shape how it is plotted
 * @param x of each row, a number where the shape is of lines
 * @param columns of one value for each row
 */
public record Figure(
    String name,
    String title,
    String seed,
    String xLabel,
    String yLabel,
    Shape shape,
    List<String> x,
    List<Column> columns) {
  /** How a figure is plotted. */
  public enum Shape {
    BARS,
    LINES,
    /** Lines over a logarithmic x axis, with a logarithmic y axis. */
    LOG_LINES
  }

  /**
   * A column.
   *
   * @param values NaN where there is none
   * @param plotted or only in the table
   */
  public record Column(String name, List<Double> values, boolean plotted) {}

  /** A table for people. */
  public String text() {
    List<List<String>> lines = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of(xLabel));
    columns.forEach(column -> header.add(column.name()));
    lines.add(header);
    for (int row = 0; row < x.size(); row++) {
      List<String> line = new ArrayList<>(List.of(x.get(row)));
      for (Column column : columns) {
        line.add(number(column.values().get(row)));
      }
      lines.add(line);
    }
    StringBuilder text =
        new StringBuilder(name)
            .append(": ")
            .append(title)
            .append(" (")
            .append(yLabel)
            .append(")\n");
    if (!seed.isEmpty()) {
      text.append("seed: ").append(seed).append('\n');
    }
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int column = 0; column < line.size(); column++) {
        int each = column;
        int width = lines.stream().mapToInt(other -> other.get(each).length()).max().orElse(1);
        one.append(pad(line.get(column), width, column == 0)).append("  ");
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String pad(String word, int width, boolean left) {
    String spaces = " ".repeat(width - word.length());
    return left ? word + spaces : spaces + word;
  }

  /** The same for machines. */
  public String csv() {
    StringBuilder csv = new StringBuilder(quoted(xLabel));
    columns.forEach(column -> csv.append(',').append(quoted(column.name())));
    csv.append('\n');
    for (int row = 0; row < x.size(); row++) {
      csv.append(quoted(x.get(row)));
      for (Column column : columns) {
        double value = column.values().get(row);
        csv.append(',').append(Double.isNaN(value) ? "" : Double.toString(value));
      }
      csv.append('\n');
    }
    return csv.toString();
  }

  private static String quoted(String word) {
    return word.contains(",") ? '"' + word + '"' : word;
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "";
    }
    double size = Math.abs(value);
    String format = size >= 1000 ? "%,.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, format, value);
  }
}
