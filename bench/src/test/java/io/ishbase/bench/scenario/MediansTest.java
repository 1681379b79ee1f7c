package io.ishbase.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.scenario.Medians.Interval;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class MediansTest {
  private static List<Double> figures(int count) {
    return DoubleStream.iterate(count, each -> each - 1).limit(count).boxed().toList();
  }

  @Test
  void theMiddle() {
    assertThat(Medians.of(List.of(3.0, 1.0, 8.0))).isEqualTo(3);
    assertThat(Medians.of(List.of(8.0, 3.0, 1.0, 4.0))).isEqualTo(3.5);
  }

  /** The figures of a table of the sign test. */
  @Test
  void theIntervalOfTheMedian() {
    assertThat(Medians.interval(figures(5))).isEmpty();
    assertThat(Medians.interval(List.of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))
        .hasValue(new Interval(1, 6));
    assertThat(Medians.interval(figures(10))).hasValue(new Interval(2, 9));
    assertThat(Medians.interval(figures(16))).hasValue(new Interval(4, 13));
    assertThat(Medians.interval(figures(30))).hasValue(new Interval(10, 21));
    assertThat(Medians.interval(figures(100))).hasValue(new Interval(40, 61));
  }
}
