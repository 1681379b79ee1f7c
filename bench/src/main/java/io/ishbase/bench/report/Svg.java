package io.ishbase.bench.report;

import java.util.Locale;

/** Pieces of SVG. */
final class Svg {
  private Svg() {}

  /** As {@link String#format}, with a point in numbers wherever it runs. */
  static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  static String open(String label, double width, double height) {
    return format(
        "<svg role=\"img\" aria-label=\"%s\" width=\"100%%\" viewBox=\"0 0 %.0f %.0f\">%n",
        Page.escape(label), width, height);
  }

  /**
   * @param anchor start, middle or end
   */
  static String text(double x, double y, String anchor, String text) {
    return format(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
        x, y, anchor, Page.escape(text));
  }

  static String line(double x1, double y1, double x2, double y2, String style) {
    return format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", x1, y1, x2, y2, style);
  }
}
