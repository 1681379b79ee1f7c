package io.ishbase.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A plot of lines, each with its name at its end. */
final class Lines {
  private static final double WIDTH = 640;
  private static final double HEIGHT = 330;
  private static final double LEFT = 66;
  private static final double RIGHT = WIDTH - 140;
  private static final double TOP = 26;
  private static final double BOTTOM = HEIGHT - 50;
  private static final double LABEL_GAP = 15;
  private static final String GRID = "stroke=\"#ddd\"";

  private final Plot plot;
  private final Axis x;
  private final Axis y;

  Lines(Plot plot) {
    this.plot = plot;
    this.x = new Axis(plot.logX(), all(plot, Plot.Series::x), LEFT, RIGHT);
    this.y = new Axis(plot.logY(), all(plot, Plot.Series::y), BOTTOM, TOP);
  }

  private static List<Double> all(Plot plot, Function<Plot.Series, List<Double>> of) {
    return plot.series().stream().flatMap(series -> of.apply(series).stream()).toList();
  }

  String svg() {
    StringBuilder svg = new StringBuilder(Svg.open(plot.title(), WIDTH, HEIGHT));
    axes(svg);
    List<double[]> ends = new ArrayList<>();
    for (int i = 0; i < plot.series().size(); i++) {
      ends.add(line(svg, plot.series().get(i), Ink.of(i)));
    }
    labels(svg, ends);
    return svg.append("</svg>\n").toString();
  }

  private void axes(StringBuilder svg) {
    for (double tick : y.ticks()) {
      svg.append(Svg.line(LEFT, y.at(tick), RIGHT, y.at(tick), GRID));
      svg.append(Svg.text(LEFT - 6, y.at(tick) + 4, "end", tick(tick)));
    }
    if (plot.xTicks().isEmpty()) {
      for (double tick : x.ticks()) {
        xTick(svg, tick, tick(tick));
      }
    } else {
      for (Map.Entry<Double, String> tick : plot.xTicks().entrySet()) {
        xTick(svg, tick.getKey(), tick.getValue());
      }
    }
    svg.append(Svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, "stroke=\"#111\""));
    svg.append(Svg.line(LEFT, BOTTOM, LEFT, TOP, "stroke=\"#111\""));
    svg.append(Svg.text((LEFT + RIGHT) / 2, HEIGHT - 10, "middle", plot.xLabel()));
    svg.append(Svg.text(4, 14, "start", plot.yLabel()));
  }

  private void xTick(StringBuilder svg, double at, String text) {
    svg.append(Svg.line(x.at(at), BOTTOM, x.at(at), BOTTOM + 4, "stroke=\"#111\""));
    svg.append(Svg.text(x.at(at), BOTTOM + 18, "middle", text));
  }

  /** A number on an axis: no digits that say nothing. */
  private static String tick(double value) {
    return Math.abs(value - Math.rint(value)) < 1e-9
        ? Svg.format("%,.0f", value)
        : Svg.format("%.3g", value).replaceAll("(\\.\\d*?)0+$", "$1").replaceAll("\\.$", "");
  }

  /** Draws a line; returns where it ends, null if it has no point. */
  private double[] line(StringBuilder svg, Plot.Series series, Ink ink) {
    StringBuilder path = new StringBuilder();
    StringBuilder markers = new StringBuilder();
    double[] end = null;
    for (int i = 0; i < series.x().size(); i++) {
      if (x.holds(series.x().get(i)) && y.holds(series.y().get(i))) {
        end = new double[] {x.at(series.x().get(i)), y.at(series.y().get(i))};
        path.append(Svg.format("%s%.1f %.1f", path.isEmpty() ? "M" : "L", end[0], end[1]));
        markers.append(ink.marker(end[0], end[1])).append('\n');
      }
    }
    svg.append(
        Svg.format(
            "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>%n",
            path, ink.colour, ink.dash));
    svg.append(markers);
    return end;
  }

  /** Writes the names at the ends, moved apart where they would overlap. */
  private void labels(StringBuilder svg, List<double[]> ends) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      if (ends.get(i) != null) {
        order.add(i);
      }
    }
    order.sort((a, b) -> Double.compare(ends.get(a)[1], ends.get(b)[1]));
    double last = 0;
    for (int i : order) {
      double at = Math.max(ends.get(i)[1], last + LABEL_GAP);
      last = at;
      svg.append(
          Svg.line(
              ends.get(i)[0] + 6,
              ends.get(i)[1],
              RIGHT + 12,
              at,
              "stroke=\"#999\" stroke-width=\"0.7\""));
      svg.append(Svg.text(RIGHT + 14, at + 4, "start", plot.series().get(i).name()));
    }
  }
}
