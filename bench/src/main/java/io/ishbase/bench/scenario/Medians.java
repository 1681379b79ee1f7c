package io.ishbase.bench.scenario;

import java.util.List;
import java.util.Optional;

/** The middle of a few figures. */
final class Medians {
  /** How unlikely it is to be that the true median lies outside of an interval. */
  private static final double MISSED = 0.05;

  private Medians() {}

  /** From one figure to another. */
  record Interval(double least, double most) {}

  /**
   * Where the median lies of all that might have been measured, with 95 % certainty, whatever the
   * distribution: between two of the figures, by the sign test.
   *
   * @return empty of fewer than six figures, which say nothing so certain
   */
  static Optional<Interval> interval(List<Double> figures) {
    int count = figures.size();
    // That so many lie on one side, or fewer.
    double chance = StrictMath.pow(0.5, count);
    double sum = 0;
    int outside = 0;
    while (sum + chance <= MISSED / 2 && outside < count) {
      sum += chance;
      chance *= (double) (count - outside) / (outside + 1);
      outside++;
    }
    if (outside == 0) {
      return Optional.empty();
    }
    double[] sorted = figures.stream().mapToDouble(each -> each).sorted().toArray();
    return Optional.of(new Interval(sorted[outside - 1], sorted[count - outside]));
  }

  static double of(List<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(each -> each).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
