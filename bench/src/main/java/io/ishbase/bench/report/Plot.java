package io.ishbase.bench.report;

import java.util.List;
import java.util.Map;

/**
 * A plot as data: lines over numbers, or groups of bars.
 *
 * @param categories names of the groups of bars, whose x is their place from 0; empty for lines
 * @param xTicks what stands at some places of the x axis; empty: round numbers
 */
public record Plot(
    String title,
    String xLabel,
    String yLabel,
    boolean logX,
    boolean logY,
    List<String> categories,
    Map<Double, String> xTicks,
    List<Series> series) {

  /** Points that belong together, in the order of x. */
  public record Series(String name, List<Double> x, List<Double> y) {
    /** A series from a map in the order of its keys. */
    public static Series of(String name, Map<Double, Double> points) {
      return new Series(name, List.copyOf(points.keySet()), List.copyOf(points.values()));
    }
  }

  /** Lines over numbers, both axes linear. */
  public static Plot lines(String title, String xLabel, String yLabel, List<Series> series) {
    return new Plot(title, xLabel, yLabel, false, false, List.of(), Map.of(), List.copyOf(series));
  }

  /** Groups of bars. */
  public static Plot bars(
      String title, String yLabel, List<String> categories, List<Series> series) {
    return new Plot(
        title, "", yLabel, false, false, List.copyOf(categories), Map.of(), List.copyOf(series));
  }

  public Plot withLogX() {
    return new Plot(title, xLabel, yLabel, true, logY, categories, xTicks, series);
  }

  public Plot withLogY() {
    return new Plot(title, xLabel, yLabel, logX, true, categories, xTicks, series);
  }

  public Plot withXTicks(Map<Double, String> ticks) {
    return new Plot(title, xLabel, yLabel, logX, logY, categories, ticks, series);
  }
}
