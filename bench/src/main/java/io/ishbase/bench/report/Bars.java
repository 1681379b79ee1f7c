package io.ishbase.bench.report;

import java.util.List;

/** A plot of groups of horizontal bars, each with its name and value. */
final class Bars {
  private static final double LABEL_WIDTH = 190;
  private static final double BAR_WIDTH = 250;
  private static final double WIDTH = 640;
  private static final double BAR_HEIGHT = 16;
  private static final double GROUP_GAP = 12;
  private static final double TOP = 24;

  private final Plot plot;
  private final String prefix;

  Bars(Plot plot) {
    this.plot = plot;
    // Ids must differ within a page.
    this.prefix = "h" + Integer.toHexString(plot.hashCode()) + "-";
  }

  String svg() {
    double group = plot.series().size() * BAR_HEIGHT + GROUP_GAP;
    StringBuilder svg =
        new StringBuilder(Svg.open(plot.title(), WIDTH, TOP + plot.categories().size() * group));
    svg.append("<defs>");
    for (int i = 0; i < plot.series().size(); i++) {
      svg.append(Ink.of(i).definition(prefix));
    }
    svg.append("</defs>\n").append(Svg.text(LABEL_WIDTH, 14, "start", plot.yLabel()));
    List<Double> values = plot.series().stream().flatMap(series -> series.y().stream()).toList();
    Axis axis = new Axis(false, values, 0, BAR_WIDTH);
    for (int category = 0; category < plot.categories().size(); category++) {
      double y = TOP + category * group;
      svg.append(Svg.text(0, y + BAR_HEIGHT - 3, "start", plot.categories().get(category)));
      for (int i = 0; i < plot.series().size(); i++) {
        bar(svg, axis, plot.series().get(i), category, Ink.of(i), y + i * BAR_HEIGHT);
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private void bar(
      StringBuilder svg, Axis axis, Plot.Series series, int category, Ink ink, double y) {
    int point = series.x().indexOf((double) category);
    if (point < 0) {
      return;
    }
    double value = series.y().get(point);
    double width = Math.max(1, axis.at(value));
    svg.append(
        Svg.format(
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#111\"/>%n",
            LABEL_WIDTH, y, width, BAR_HEIGHT - 3, ink.fill(prefix)));
    svg.append(
        Svg.text(
            LABEL_WIDTH + width + 6,
            y + BAR_HEIGHT - 5,
            "start",
            Table.number(value) + " " + series.name()));
  }
}
