package io.ishbase.protocol.metrics;

import io.ishbase.core.metric.History;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.hbase.thirdparty.com.google.common.collect.Iterables;

/**
 * A page for people: headings, tables, lines and plots, without scripts or anything from elsewhere.
 * All text is escaped here, for names of tables, users and files come from outside.
 */
public final class StatusPage {
  /** How often a server looks at what its plots show. */
  public static final int LOOK_SECONDS = 5;

  private static final int LOOKS = 600 / LOOK_SECONDS;
  private static final int WIDTH = 360;
  private static final int HEIGHT = 90;
  private static final List<String> EACH_HAS =
      List.of(MetricsServlet.PATH, "/jmx", "/conf", "/logLevel");
  private static final String[] COLOURS = {
    "#1f5fa8", "#c2541d", "#2b8a5a", "#7a4fb0", "#9a7a10", "#a8325e"
  };

  private final StringBuilder html = new StringBuilder();

  /** What {@link #lastMinutes} shows, to be looked at every {@link #LOOK_SECONDS}. */
  public static History history(List<History.Plot> plots) {
    return new History(plots, LOOKS);
  }

  /** A page with that title. */
  public StatusPage(String title) {
    html.append(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta http-equiv="refresh" content="15"><link rel="icon" href="data:,"><title>""");
    text(title);
    html.append(
        """
        </title>
        <style>
        body { font: 14px/1.45 sans-serif; color: #222; margin: 1.5em 2em; max-width: 1180px; overflow-wrap: break-word; }
        @media (max-width: 600px) { body { margin: 1em; } td:last-child:not(.n) { min-width: 14em; } }
        h1 { font-size: 1.5em; margin: 0 0 .3em; } h2 { font-size: 1.1em; margin: 1.6em 0 .4em; }
        table { border-collapse: collapse; display: block; overflow-x: auto; }
        td, th { padding: .15em .9em .15em 0; text-align: left; vertical-align: top; }
        td:first-child { min-width: 10em; overflow-wrap: anywhere; }
        th { color: #666; font-weight: normal; border-bottom: 1px solid #ccc; white-space: nowrap; } tr:hover td { background: #f4f6f8; }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
        .plots { display: flex; flex-wrap: wrap; gap: 1em 1.5em; } figure { margin: 0; max-width: 100%; }
        figcaption { font-size: .9em; } figcaption span { margin-right: .6em; white-space: nowrap; }
        svg { background: #fafafa; border: 1px solid #ddd; box-sizing: border-box; display: block; height: auto; max-width: 100%; }
        pre { margin: 0; white-space: pre-wrap; } .bad { color: #b00020; font-weight: bold; } .none { color: #777; }
        </style></head>
        <body>
        <h1>""");
    text(title);
    html.append("</h1>\n");
  }

  /** A heading. */
  public StatusPage heading(String words) {
    html.append("<h2>");
    text(words);
    html.append("</h2>\n");
    return this;
  }

  /** Links to other pages of the server: those that each has, and more. */
  public StatusPage links(String... more) {
    html.append("<p>");
    for (String path : Iterables.concat(EACH_HAS, List.of(more))) {
      html.append("<a href=\"");
      text(path);
      html.append("\">");
      text(path);
      html.append("</a> ");
    }
    html.append("</p>\n");
    return this;
  }

  /** A sentence that must be seen. */
  public StatusPage warning(String words) {
    html.append("<p class=\"bad\">");
    text(words);
    html.append("</p>\n");
    return this;
  }

  /**
   * A table. Cells that are numbers stand on the right.
   *
   * @param none what is said if there are no rows
   */
  public StatusPage table(List<String> header, Collection<? extends List<?>> rows, String none) {
    if (rows.isEmpty()) {
      html.append("<p class=\"none\">");
      text(none);
      html.append("</p>\n");
      return this;
    }
    html.append("<table>\n");
    if (!header.isEmpty()) {
      row("th", header, rows.iterator().next());
    }
    rows.forEach(row -> row("td", row, row));
    html.append("</table>\n");
    return this;
  }

  private void row(String element, List<?> cells, List<?> kinds) {
    html.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      html.append('<').append(element);
      html.append(kinds.get(i) instanceof Number ? " class=\"n\">" : ">");
      text(cells.get(i) instanceof Number number ? shown(number) : cells.get(i).toString());
      html.append("</").append(element).append('>');
    }
    html.append("</tr>\n");
  }

  /** Lines as they are. */
  public StatusPage lines(Collection<String> lines, String none) {
    if (lines.isEmpty()) {
      return table(List.of(), List.of(), none);
    }
    html.append("<pre>");
    text(String.join("\n", lines));
    html.append("</pre>\n");
    return this;
  }

  /** The last ten minutes, a plot beside the other. */
  public StatusPage lastMinutes(History history) {
    heading("The last ten minutes");
    html.append("<div class=\"plots\">\n");
    for (int plot = 0; plot < history.plots().size(); plot++) {
      plot(history, plot);
    }
    html.append("</div>\n");
    return this;
  }

  private void plot(History history, int plot) {
    History.Plot drawn = history.plots().get(plot);
    double most = 0;
    for (int curve = 0; curve < drawn.curves().size(); curve++) {
      for (double value : history.values(plot, curve)) {
        most = value > most ? value : most; // NaN is not greater
      }
    }
    html.append("<figure><figcaption>");
    text(drawn.title() + ", to " + shown(most) + " " + drawn.unit());
    html.append("</figcaption>\n<svg width=\"").append(WIDTH).append("\" viewBox=\"0 0 ");
    html.append(WIDTH).append(' ').append(HEIGHT).append("\" role=\"img\" aria-label=\"");
    text(drawn.title());
    html.append("\">\n");
    StringBuilder legend = new StringBuilder();
    for (int curve = 0; curve < drawn.curves().size(); curve++) {
      double[] values = history.values(plot, curve);
      String colour = COLOURS[curve % COLOURS.length];
      html.append("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"").append(colour);
      html.append("\" points=\"").append(points(values, history.kept(), most)).append("\"/>\n");
      double last = values.length == 0 ? Double.NaN : values[values.length - 1];
      legend.append("<span style=\"color:").append(colour).append("\">");
      legend.append(escaped(drawn.curves().get(curve).name())).append(' ');
      legend.append(Double.isNaN(last) ? "–" : shown(last)).append("</span> ");
    }
    html.append("</svg><figcaption>").append(legend).append("</figcaption></figure>\n");
  }

  /** The newest on the right, whether or not there are as many as are kept. */
  private static String points(double[] values, int kept, double most) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i])) {
        double x = WIDTH - (double) (values.length - 1 - i) * WIDTH / Math.max(1, kept - 1);
        double y = HEIGHT - 2 - (most > 0 ? values[i] / most : 0) * (HEIGHT - 6);
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
      }
    }
    return points.toString().strip();
  }

  /** A number as people read it. */
  private static String shown(Number number) {
    double value = number.doubleValue();
    if (Double.isNaN(value)) {
      return "–";
    }
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.2f" : "%,.0f", value);
  }

  private void text(String words) {
    html.append(escaped(words));
  }

  private static String escaped(String words) {
    StringBuilder escaped = new StringBuilder(words.length());
    for (int i = 0; i < words.length(); i++) {
      char next = words.charAt(i);
      switch (next) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(Character.isISOControl(next) && next != '\n' ? '?' : next);
      }
    }
    return escaped.toString();
  }

  /** The whole page. */
  @Override
  public String toString() {
    return html + "</body>\n</html>\n";
  }
}
