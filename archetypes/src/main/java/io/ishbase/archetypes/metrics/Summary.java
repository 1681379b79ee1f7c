package io.ishbase.archetypes.metrics;

import com.datadoghq.sketch.ddsketch.DDSketch;
import com.datadoghq.sketch.ddsketch.store.SparseStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * What was counted in some buckets of some series: the exact sum of what was added, and a
 * distribution of what was recorded. Not safe for several threads.
 */
public final class Summary {
  /** The relative error of {@link #min}, {@link #max} and {@link #quantile}. */
  public static final double ACCURACY = Bins.ACCURACY;

  private long total;
  private boolean added;
  private long zeros;
  private final SortedMap<Integer, Long> negative = new TreeMap<>();
  private final SortedMap<Integer, Long> positive = new TreeMap<>();

  /**
   * Adds a counter.
   *
   * @throws ArithmeticException if a long cannot hold the result; nothing is added
   */
  void add(Column column, long value) {
    switch (column.kind()) {
      case TOTAL -> {
        total = exact(total, value);
        added = true;
      }
      case ZERO -> zeros = exact(zeros, value);
      case NEGATIVE -> negative.merge(column.bin(), value, Summary::exact);
      case POSITIVE -> positive.merge(column.bin(), value, Summary::exact);
      case MARK -> throw new IllegalArgumentException("A mark counts nothing");
    }
  }

  /**
   * Adds all of {@code other}.
   *
   * @throws ArithmeticException if a long cannot hold the result; what this is then is undefined
   */
  public void add(Summary other) {
    other.columns(0).forEach(this::add);
  }

  /** What is in it as columns of bucket {@code offset}. */
  Map<Column, Long> columns(int offset) {
    Map<Column, Long> columns = new LinkedHashMap<>();
    if (added) {
      columns.put(Column.total(offset), total);
    }
    if (zeros != 0) {
      columns.put(new Column(Column.Kind.ZERO, offset, 0), zeros);
    }
    negative.forEach(
        (bin, count) -> columns.put(new Column(Column.Kind.NEGATIVE, offset, bin), count));
    positive.forEach(
        (bin, count) -> columns.put(new Column(Column.Kind.POSITIVE, offset, bin), count));
    return columns;
  }

  /** The sum of what was added to the counter; exact. */
  public long total() {
    return total;
  }

  /** Whether nothing was added and nothing recorded. */
  public boolean isEmpty() {
    return !added && count() == 0;
  }

  /**
   * How many values were recorded; exact.
   *
   * @throws ArithmeticException if a long cannot hold it
   */
  public long count() {
    long count = zeros;
    for (long one : negative.values()) {
      count = exact(count, one);
    }
    for (long one : positive.values()) {
      count = exact(count, one);
    }
    return count;
  }

  /**
   * The sum of the recorded values; its error is at most {@link #ACCURACY} of the sum of their
   * magnitudes. Zero if there are none.
   */
  public double sum() {
    return count() == 0 ? 0 : sketch().getSum();
  }

  /** The smallest recorded value; empty: none was recorded. */
  public OptionalDouble min() {
    return ofSketch(DDSketch::getMinValue);
  }

  /** The largest recorded value; empty: none was recorded. */
  public OptionalDouble max() {
    return ofSketch(DDSketch::getMaxValue);
  }

  /**
   * The recorded value of rank floor(q (n - 1)) of n, counted from 0 in ascending order; empty:
   * none was recorded.
   *
   * @param q from 0 to 1
   * @throws IllegalArgumentException if {@code q} is not
   */
  public OptionalDouble quantile(double q) {
    if (!(q >= 0 && q <= 1)) {
      throw new IllegalArgumentException("A quantile is from 0 to 1, not " + q);
    }
    return ofSketch(sketch -> sketch.getValueAtQuantile(q));
  }

  /** How many values were recorded by what stands for them, in ascending order: a histogram. */
  public SortedMap<Double, Long> histogram() {
    SortedMap<Double, Long> counts = new TreeMap<>();
    negative.forEach((bin, count) -> counts.put(-Bins.MAPPING.value(bin), count));
    if (zeros != 0) {
      counts.put(0.0, zeros);
    }
    positive.forEach((bin, count) -> counts.put(Bins.MAPPING.value(bin), count));
    return counts;
  }

  private OptionalDouble ofSketch(ToDoubleFunction<DDSketch> value) {
    return count() == 0 ? OptionalDouble.empty() : OptionalDouble.of(value.applyAsDouble(sketch()));
  }

  private DDSketch sketch() {
    DDSketch sketch = new DDSketch(Bins.MAPPING, SparseStore::new);
    negative.forEach((bin, count) -> sketch.getNegativeValueStore().add(bin, count.longValue()));
    positive.forEach((bin, count) -> sketch.getPositiveValueStore().add(bin, count.longValue()));
    sketch.accept(0.0, zeros);
    return sketch;
  }

  private static long exact(long left, long right) {
    long sum = left + right;
    if (((left ^ sum) & (right ^ sum)) < 0) {
      throw new ArithmeticException("%d and %d are more than a long holds".formatted(left, right));
    }
    return sum;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Summary that
        && total == that.total
        && zeros == that.zeros
        && negative.equals(that.negative)
        && positive.equals(that.positive);
  }

  @Override
  public int hashCode() {
    return Objects.hash(total, zeros, negative, positive);
  }

  @Override
  public String toString() {
    return "total %d, %d values%s"
        .formatted(total, count(), count() == 0 ? "" : ", p50 " + quantile(0.5).getAsDouble());
  }
}
