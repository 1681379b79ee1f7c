package io.ishbase.bench.report;

import java.util.List;
import java.util.Map;

/** A report as one HTML page. */
final class Page {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>%1$s</title>
      <style>
      body { font: 15px/1.5 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #111; background: #fff; }
      .wide { overflow-x: auto; }
      .plots { display: flex; flex-wrap: wrap; gap: 1em; }
      .plots figure { margin: 0; flex: 1 1 30em; max-width: 48em; }
      figcaption { font-weight: bold; }
      svg text { font: 13px sans-serif; fill: #111; }
      table { border-collapse: collapse; font-size: 13px; margin: 1em 0; }
      th, td { padding: 0.15em 0.6em; border-bottom: 1px solid #bbb; text-align: left; white-space: nowrap; }
      td.n { text-align: right; font-variant-numeric: tabular-nums; }
      dl { display: grid; grid-template-columns: max-content auto; gap: 0 1em; font-size: 13px; }
      dt { color: #444; } dd { margin: 0; }
      .note { border-left: 4px solid #111; padding-left: 0.6em; }
      </style></head><body>
      <h1>%1$s</h1>
      """;

  private final String title;
  private final List<Results> all;
  private final String columns;

  Page(String title, List<Results> all, String columns) {
    this.title = title;
    this.all = all;
    this.columns = columns;
  }

  String html() {
    StringBuilder html = new StringBuilder(String.format(HEAD, escape(title)));
    html.append("<ul>\n");
    for (Results results : all) {
      html.append(
          String.format(
              "<li><a href=\"#%1$s\">%1$s</a>: %2$s</li>%n",
              escape(results.scenario()), escape(results.description())));
    }
    html.append("</ul>\n");
    html.append("<p>").append(escape(columns.strip()).replace("\n", "<br>\n")).append("</p>\n");
    all.forEach(results -> section(html, results));
    return html.append("</body></html>\n").toString();
  }

  private static void section(StringBuilder html, Results results) {
    html.append(
        String.format(
            "<section id=\"%1$s\"><h2>%1$s</h2>%n<p>%2$s. %3$s</p>%n",
            escape(results.scenario()),
            escape(results.description()),
            escape(results.seedFigures().isEmpty() ? "" : "Seed: " + results.seedFigures() + ".")));
    results
        .notes()
        .forEach(note -> html.append("<p class=\"note\">").append(escape(note)).append("</p>\n"));
    html.append("<div class=\"plots\">\n");
    results
        .plots()
        .forEach(
            plot ->
                html.append("<figure><figcaption>")
                    .append(escape(plot.title()))
                    .append("</figcaption>\n")
                    .append(
                        plot.categories().isEmpty() ? new Lines(plot).svg() : new Bars(plot).svg())
                    .append("</figure>\n"));
    html.append("</div>\n<dl>");
    appendEach(html, results.conditions());
    html.append("</dl>\n<div class=\"wide\">");
    html.append(Table.all(results.rows()).html());
    if (!results.costs().isEmpty()) {
      html.append("<p>").append(Report.COSTS).append(":</p>\n");
      html.append(Table.all(results.costs()).html());
    }
    html.append("</div>\n<details><summary>How it was measured</summary><dl>\n");
    appendEach(html, results.facts());
    html.append("</dl></details></section>\n");
  }

  private static void appendEach(StringBuilder html, Map<String, String> named) {
    named.forEach(
        (name, value) ->
            html.append(String.format("<dt>%s</dt><dd>%s</dd>%n", escape(name), escape(value))));
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
