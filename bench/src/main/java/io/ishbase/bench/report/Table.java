package io.ishbase.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Rows laid out in columns; only columns in which something stands. */
final class Table {
  /** Figures that people look at first; a terminal has no room for more. */
  private static final Set<String> SHORT =
      Set.of(
          "ops/s",
          "least ops/s",
          "most ops/s",
          "least s",
          "most s",
          "least tpmC through",
          "most tpmC through",
          "ops/CPU s",
          "ratio",
          "limit ops/s",
          "mean ms",
          "p99 ms",
          "p99.9 ms",
          "p99.99 ms",
          "max ms",
          "asked/s",
          "done %",
          "extra %",
          "fallbacks",
          "errors",
          "in/value",
          "out B/row",
          "in/written",
          "out/written",
          "HFiles/written",
          "auto/fixed",
          "GC ms/s",
          "hits %",
          "rows/MB",
          "rows held",
          "MB held",
          "compaction s",
          "warm-up s",
          "of stock %",
          "MB compacted",
          "crossed %",
          "net of idle %",
          "messages %",
          "puts/s",
          "degradation % during",
          "degradation % warm-up",
          "tpmC through",
          "tpmC before",
          "tpmC compaction",
          "tpmC warm-up");

  private final List<String> header = new ArrayList<>();
  private final List<List<String>> lines = new ArrayList<>();
  private final int words;

  private Table(List<Row> rows, boolean all) {
    Set<String> parameters = new LinkedHashSet<>();
    Set<String> figures = new LinkedHashSet<>();
    for (Row row : rows) {
      parameters.addAll(row.parameters().keySet());
      row.figures().keySet().stream()
          .filter(name -> all || SHORT.contains(name))
          .forEach(figures::add);
    }
    header.addAll(parameters);
    header.add("variant");
    words = header.size();
    header.addAll(figures);
    header.add("target");
    header.add("notes");
    header.add("seed");
    for (Row row : rows) {
      List<String> line = new ArrayList<>();
      parameters.forEach(name -> line.add(row.parameters().getOrDefault(name, "")));
      line.add(row.variant());
      figures.forEach(
          name -> line.add(row.figures().containsKey(name) ? number(row.figures().get(name)) : ""));
      line.add(row.target());
      line.add(row.notes());
      line.add(row.seed());
      lines.add(line);
    }
    for (int column = header.size() - 1; column >= words + figures.size(); column--) {
      int each = column;
      if (lines.stream().allMatch(line -> line.get(each).isEmpty())) {
        header.remove(each);
        lines.forEach(line -> line.remove(each));
      }
    }
  }

  static Table all(List<Row> rows) {
    return new Table(rows, true);
  }

  static Table forTerminal(List<Row> rows) {
    return new Table(rows, false);
  }

  String text() {
    int[] width = new int[header.size()];
    List<List<String>> withHeader = new ArrayList<>(List.of(header));
    withHeader.addAll(lines);
    for (List<String> line : withHeader) {
      for (int i = 0; i < width.length; i++) {
        width[i] = Math.max(width[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : withHeader) {
      StringBuilder one = new StringBuilder();
      for (int i = 0; i < width.length; i++) {
        String format = (isNumber(i) ? "%" : "%-") + Math.max(1, width[i]) + "s  ";
        one.append(String.format(Locale.ROOT, format, line.get(i)));
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  String html() {
    StringBuilder html = new StringBuilder("<table><thead><tr>");
    header.forEach(name -> html.append("<th>").append(Page.escape(name)).append("</th>"));
    html.append("</tr></thead><tbody>\n");
    for (List<String> line : lines) {
      html.append("<tr>");
      for (int i = 0; i < line.size(); i++) {
        html.append(isNumber(i) ? "<td class=\"n\">" : "<td>")
            .append(Page.escape(line.get(i)))
            .append("</td>");
      }
      html.append("</tr>\n");
    }
    return html.append("</tbody></table>\n").toString();
  }

  String markdown() {
    StringBuilder text = new StringBuilder("| " + String.join(" | ", header) + " |\n|");
    for (int i = 0; i < header.size(); i++) {
      text.append(isNumber(i) ? " ---: |" : " --- |");
    }
    text.append('\n');
    for (List<String> line : lines) {
      text.append("| ").append(String.join(" | ", line)).append(" |\n");
    }
    return text.toString();
  }

  private boolean isNumber(int column) {
    return column >= words && !List.of("target", "notes", "seed").contains(header.get(column));
  }

  /** A figure with three digits or so. */
  static String number(double value) {
    double size = Math.abs(value);
    return String.format(
        Locale.ROOT,
        size >= 100
            ? "%,.0f"
            : size >= 10 ? "%.1f" : size == 0 ? "%.0f" : size >= 0.01 ? "%.2f" : "%.5f",
        value);
  }
}
