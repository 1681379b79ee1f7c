package io.ishbase.bench.scenario;

import java.util.List;

/** The middle of a few figures. */
final class Medians {
  private Medians() {}

  static double of(List<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(each -> each).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
