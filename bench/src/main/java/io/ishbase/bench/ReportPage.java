package io.ishbase.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** A report as one HTML page with bars, readable without colour. */
final class ReportPage {
  private static final int LABEL_WIDTH = 300;
  private static final int BAR_WIDTH = 420;
  private static final int BAR_HEIGHT = 18;

  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>%1$s</title>
      <style>
      body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #111; }
      pre { font-size: 12px; overflow-x: auto; background: #f4f4f4; padding: 1em; }
      svg text { font: 13px sans-serif; }
      </style></head><body>
      <h1>%1$s</h1>
      """;

  private final String title;
  private final Map<String, Object> facts;
  private final List<Comparison> comparisons;
  private final String table;

  ReportPage(String title, Map<String, Object> facts, List<Comparison> comparisons, String table) {
    this.title = title;
    this.facts = facts;
    this.comparisons = comparisons;
    this.table = table;
  }

  String html() {
    StringBuilder html = new StringBuilder(String.format(HEAD, escape(title)));
    html.append("<p>Dark bars: in-storage. Light bars: stock.</p>\n");
    chart(html, "Gets a second (longer is better)", Sample::perSecond);
    chart(html, "Mean latency, ms (shorter is better)", Sample::meanMillis);
    chart(
        html,
        "Bytes from storage for each byte of value (shorter is better)",
        Sample::amplification);
    html.append("<pre>").append(escape(table)).append("</pre>\n<ul>\n");
    facts.forEach(
        (name, value) -> html.append("<li>").append(escape(name + ": " + value)).append("</li>\n"));
    return html.append("</ul>\n</body></html>\n").toString();
  }

  private void chart(StringBuilder html, String heading, ToDoubleFunction<Sample> figure) {
    double most = 0;
    for (Comparison comparison : comparisons) {
      for (Mode mode : Mode.values()) {
        most = Math.max(most, figure.applyAsDouble(comparison.all(mode)));
      }
    }
    int height = comparisons.size() * (2 * BAR_HEIGHT + 14);
    html.append("<h2>").append(escape(heading)).append("</h2>\n");
    html.append(
        String.format(
            "<svg role=\"img\" aria-label=\"%s\" width=\"100%%\" viewBox=\"0 0 %d %d\">%n",
            escape(heading), LABEL_WIDTH + BAR_WIDTH + 80, height));
    int y = 0;
    for (Comparison comparison : comparisons) {
      html.append(
          String.format(
              "<text x=\"0\" y=\"%d\">%s</text>%n",
              y + BAR_HEIGHT + 5, escape(comparison.load() + ", " + comparison.capInWords())));
      for (Mode mode : Mode.values()) {
        double value = figure.applyAsDouble(comparison.all(mode));
        bar(html, y, mode, most == 0 ? 0 : value / most, value);
        y += BAR_HEIGHT;
      }
      y += 14;
    }
    html.append("</svg>\n");
  }

  private static void bar(StringBuilder html, int y, Mode mode, double share, double value) {
    double width = Math.max(1, share * BAR_WIDTH);
    html.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"#111\"/>"
                + "<text x=\"%.1f\" y=\"%d\">%s</text>%n",
            LABEL_WIDTH,
            y,
            width,
            BAR_HEIGHT - 3,
            mode == Mode.STOCK ? "#ddd" : "#333",
            LABEL_WIDTH + width + 6,
            y + BAR_HEIGHT - 6,
            Report.number(value)));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
