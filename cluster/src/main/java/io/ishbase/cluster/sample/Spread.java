package io.ishbase.cluster.sample;

import java.util.DoubleSummaryStatistics;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/** A figure that differs: its mean, and between what it lies. */
public record Spread(double least, double mean, double most) {
  /** That of these figures; none of none. */
  static Optional<Spread> of(DoubleSummaryStatistics figures) {
    return figures.getCount() == 0
        ? Optional.empty()
        : Optional.of(new Spread(figures.getMin(), figures.getAverage(), figures.getMax()));
  }

  /** Each of the three as the function says, which grows. */
  public Spread map(DoubleUnaryOperator function) {
    return new Spread(
        function.applyAsDouble(least), function.applyAsDouble(mean), function.applyAsDouble(most));
  }
}
