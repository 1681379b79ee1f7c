package io.ishbase.bench.scenario;

import java.util.Collections;
import java.util.List;

/** The middle of a few figures, and how far they lie apart. */
final class Medians {
  private Medians() {}

  static double of(List<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(each -> each).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Largest minus smallest, divided by the median; 0 if that is 0. */
  static double spread(List<Double> figures) {
    double median = of(figures);
    return median == 0 ? 0 : (Collections.max(figures) - Collections.min(figures)) / median;
  }
}
