package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.Test;

class SummaryTest {
  /** The bound of a bin is computed, so it may be off by some of a double's last digits. */
  private static final double ERROR = Summary.ACCURACY * (1 + 1e-6);

  @Provide
  Arbitrary<List<Double>> values() {
    double most = Bins.MAPPING.maxIndexableValue();
    return Arbitraries.oneOf(
            Arbitraries.doubles().between(-most, most),
            Arbitraries.doubles().between(-1_000, 1_000),
            Arbitraries.doubles().between(0.001, 2).ofScale(6).map(x -> x * x * x),
            Arbitraries.of(0.0, -0.0, most, -most, Double.MIN_NORMAL, 4e-308, 1.0, -1.0))
        .list()
        .ofMinSize(1)
        .ofMaxSize(200);
  }

  private static Summary of(List<Double> values) {
    Summary summary = new Summary();
    values.forEach(value -> summary.add(Bins.column(7, value), 1));
    return summary;
  }

  @Property
  void quantilesAreWithinAHundredthOfTheExactOnes(
      @ForAll("values") List<Double> values, @ForAll @DoubleRange(max = 1) double q) {
    Summary summary = of(values);
    double[] sorted = values.stream().mapToDouble(value -> value).toArray();
    Arrays.sort(sorted);
    assertThat(summary.count()).isEqualTo(sorted.length);
    assertThat(summary.histogram().values().stream().mapToLong(count -> count).sum())
        .isEqualTo(sorted.length);
    assertThat(summary.histogram().firstKey()).isEqualTo(summary.min().getAsDouble());
    assertThat(summary.histogram().lastKey()).isEqualTo(summary.max().getAsDouble());
    assertClose(summary.quantile(q).getAsDouble(), sorted[(int) (q * (sorted.length - 1))]);
    assertClose(summary.quantile(0).getAsDouble(), sorted[0]);
    assertClose(summary.quantile(1).getAsDouble(), sorted[sorted.length - 1]);
    assertClose(summary.min().getAsDouble(), sorted[0]);
    assertClose(summary.max().getAsDouble(), sorted[sorted.length - 1]);
  }

  private static void assertClose(double got, double exact) {
    // Smaller magnitudes than bins tell apart count as zero.
    double least = Bins.MAPPING.minIndexableValue();
    double allowed = Math.abs(exact) <= least ? least : ERROR * Math.abs(exact);
    assertThat(got).isCloseTo(exact, within(allowed));
  }

  @Property
  void sumIsWithinAHundredthOfTheMagnitudes(@ForAll("values") List<Double> values) {
    List<Double> small = values.stream().map(value -> value % 1e6).toList();
    double exact = small.stream().mapToDouble(value -> value).sum();
    double magnitudes = small.stream().mapToDouble(Math::abs).sum();
    assertThat(of(small).sum()).isCloseTo(exact, within(ERROR * magnitudes + 1e-300));
  }

  @Property
  void summariesOfPartsAddUpToThatOfTheWhole(
      @ForAll("values") List<Double> values, @ForAll @IntRange(max = 200) int cut) {
    int at = Math.min(cut, values.size());
    Summary sum = of(values.subList(0, at));
    sum.add(of(values.subList(at, values.size())));
    assertThat(sum).isEqualTo(of(values));
  }

  @Property
  void columnsAreReadBack(@ForAll("values") List<Double> values, @ForAll long total) {
    Summary summary = of(values);
    summary.add(Column.total(0), total);
    Summary back = new Summary();
    summary
        .columns(65_000)
        .forEach(
            (column, count) -> {
              Column read = Column.of(new KeyValue(new byte[1], new byte[1], column.qualifier()));
              assertThat(read).isEqualTo(column);
              back.add(read, count);
            });
    assertThat(back).isEqualTo(summary);
  }

  @Test
  void whatIsNoNumberIsRefused() {
    for (double value :
        new double[] {
          Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MAX_VALUE
        }) {
      assertThatThrownBy(() -> Bins.column(0, value))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no place in a distribution");
    }
    for (double q : new double[] {Double.NaN, -0.1, 1.1}) {
      assertThatThrownBy(() -> of(List.of(1.0)).quantile(q))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void nothingHasNoQuantiles() {
    Summary summary = new Summary();
    assertThat(summary.isEmpty()).isTrue();
    assertThat(summary.min()).isEmpty();
    assertThat(summary.max()).isEmpty();
    assertThat(summary.quantile(0.5)).isEmpty();
    assertThat(summary.sum()).isZero();
  }

  @Test
  void aSumBeyondALongIsAnError() {
    Summary summary = new Summary();
    summary.add(Column.total(0), Long.MAX_VALUE);
    assertThatThrownBy(() -> summary.add(Column.total(0), 1))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("more than a long holds");
    assertThat(summary.total()).isEqualTo(Long.MAX_VALUE);
  }
}
