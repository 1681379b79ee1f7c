package io.ishbase.bench.scenario;

import io.ishbase.bench.report.Plot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Latencies by percentile, as HdrHistogram's plots show them: the distance on the x axis grows with
 * the logarithm of one in how many operations is slower.
 */
final class LatencyByPercentile {
  private static final List<Double> PERCENTS =
      List.of(
          0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.75, 99.9, 99.95, 99.975, 99.99);

  private static final double WHOLE = 100;
  private static final double NANOS = 1e6;

  private LatencyByPercentile() {}

  /** Of so many operations one is slower than the percentile. */
  private static double oneIn(double percent) {
    // 99.9 % of 100 is no number that a computer has: one in a thousand is.
    return Math.round(WHOLE * WHOLE / (WHOLE - percent)) / WHOLE;
  }

  /** Milliseconds by one in how many is slower. */
  static Plot.Series series(String name, Histogram nanos) {
    Map<Double, Double> points = new TreeMap<>();
    for (double percent : PERCENTS) {
      points.put(oneIn(percent), nanos.getValueAtPercentile(percent) / NANOS);
    }
    return Plot.Series.of(name, points);
  }

  static Plot plot(String title, List<Plot.Series> series) {
    Map<Double, String> ticks = new TreeMap<>();
    for (String percent : List.of("0", "50", "90", "99", "99.9", "99.99")) {
      ticks.put(oneIn(Double.parseDouble(percent)), percent + " %");
    }
    return Plot.lines(title, "percentile of operations", "ms", series)
        .withLogX()
        .withLogY()
        .withXTicks(ticks);
  }
}
