package io.ishbase.archetypes.metrics;

import com.datadoghq.sketch.ddsketch.mapping.IndexMapping;
import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;

/**
 * The bins of a distribution. Their bounds grow by a factor, as in DDSketch (Masson, Rim and Lee,
 * VLDB 2019), so that a bin stands for each value in it with a relative error of at most {@link
 * #ACCURACY}. Bounds are the same in every table, so distributions are added by adding counters.
 */
final class Bins {
  /** The relative error of a value that was put into a bin. */
  static final double ACCURACY = 0.01;

  static final IndexMapping MAPPING = new LogarithmicMapping(ACCURACY);

  private Bins() {}

  /**
   * The column that counts {@code value} in bucket {@code offset}.
   *
   * @throws IllegalArgumentException if the value is not a number, infinite, or of a magnitude
   *     beyond {@code Double.MAX_VALUE / 1.01}
   */
  static Column column(int offset, double value) {
    double magnitude = Math.abs(value);
    if (!(magnitude <= MAPPING.maxIndexableValue())) {
      throw new IllegalArgumentException(
          "%s has no place in a distribution; the largest magnitude is %s"
              .formatted(value, MAPPING.maxIndexableValue()));
    }
    if (magnitude <= MAPPING.minIndexableValue()) {
      return new Column(Column.Kind.ZERO, offset, 0);
    }
    return new Column(
        value < 0 ? Column.Kind.NEGATIVE : Column.Kind.POSITIVE, offset, MAPPING.index(magnitude));
  }
}
