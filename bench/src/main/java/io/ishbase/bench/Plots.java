package io.ishbase.bench;

import io.ishbase.bench.report.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Comparisons as plots: a line or a group of bars for each variant. */
public final class Plots {
  /** A figure of one variant of a comparison. */
  @FunctionalInterface
  public interface Figure {
    double of(Comparison comparison, String variant);
  }

  public static final Figure PER_SECOND = (c, variant) -> c.median(variant, Sample::perSecond);
  public static final Figure ROWS_PER_SECOND =
      (c, variant) -> c.median(variant, Sample::rowsPerSecond);
  public static final Figure MEAN_MILLIS = (c, variant) -> c.all(variant).meanMillis();
  public static final Figure AMPLIFICATION =
      (c, variant) -> c.median(variant, Sample::amplification);
  public static final Figure CELL_AMPLIFICATION =
      (c, variant) -> c.median(variant, Sample::cellAmplification);

  /** How far right of the largest bandwidth "uncapped" stands. */
  private static final double UNCAPPED_FACTOR = 2.5;

  private Plots() {}

  /** Lines over the bandwidth; the line rate too where {@code withLimit}. */
  public static Plot byBandwidth(
      String title, String yLabel, Figure figure, boolean withLimit, List<Comparison> comparisons) {
    int most = comparisons.stream().mapToInt(c -> c.point().mbps()).max().orElse(1);
    double uncapped = Math.max(1, most) * UNCAPPED_FACTOR;
    Map<Double, String> ticks = new TreeMap<>();
    for (Comparison c : comparisons) {
      int mbps = c.point().mbps();
      ticks.put(mbps == 0 ? uncapped : mbps, mbps == 0 ? "uncapped" : "" + mbps);
    }
    Function<Comparison, Double> x = c -> c.point().mbps() == 0 ? uncapped : c.point().mbps();
    List<Plot.Series> series = series(x, figure, comparisons);
    if (withLimit) {
      List<Comparison> capped = comparisons.stream().filter(c -> c.limitPerSecond() > 0).toList();
      if (!capped.isEmpty()) {
        series.add(series("line rate", x, (c, variant) -> c.limitPerSecond(), capped, ""));
      }
    }
    return Plot.lines(title, "Mbps between compute and storage", yLabel, series)
        .withLogX()
        .withLogY()
        .withXTicks(ticks);
  }

  /** Lines over a parameter whose values are numbers. */
  public static Plot byParameter(
      String title,
      String parameter,
      String xLabel,
      String yLabel,
      Figure figure,
      List<Comparison> comparisons) {
    return Plot.lines(
        title,
        xLabel,
        yLabel,
        series(
            c -> ((Number) c.point().parameters().get(parameter)).doubleValue(),
            figure,
            comparisons));
  }

  /** A group of bars for each comparison, called as {@code category} says. */
  public static Plot bars(
      String title,
      String yLabel,
      Function<Comparison, String> category,
      Figure figure,
      List<Comparison> comparisons) {
    int[] next = {0};
    Map<Comparison, Integer> order = new LinkedHashMap<>();
    comparisons.forEach(c -> order.put(c, next[0]++));
    return Plot.bars(
        title,
        yLabel,
        comparisons.stream().map(category).toList(),
        series(c -> (double) order.get(c), figure, comparisons));
  }

  private static List<Plot.Series> series(
      Function<Comparison, Double> x, Figure figure, List<Comparison> comparisons) {
    List<Plot.Series> all = new ArrayList<>();
    if (!comparisons.isEmpty()) {
      for (String variant : comparisons.get(0).variants()) {
        all.add(series(variant, x, figure, comparisons, variant));
      }
    }
    return all;
  }

  private static Plot.Series series(
      String name,
      Function<Comparison, Double> x,
      Figure figure,
      List<Comparison> comparisons,
      String variant) {
    Map<Double, Double> points = new TreeMap<>();
    comparisons.forEach(c -> points.put(x.apply(c), figure.of(c, variant)));
    return Plot.Series.of(name, points);
  }
}
