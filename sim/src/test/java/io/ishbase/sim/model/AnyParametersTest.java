package io.ishbase.sim.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.workload.Parameters;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a user gives a parameter, a run ends, or is refused with words. */
class AnyParametersTest {
  private static final List<String> VALUES =
      List.of("0", "0.5", "1", "3", "1e9", "1e300", "Infinity");
  private static final Parameters SMALL =
      Parameters.seed()
          .with("blocks", 16)
          .with("requests", 200)
          .with("flush.bytes", 1024)
          .with("cache", 0.2);

  static Stream<Arguments> numbers() {
    return SMALL.all().keySet().stream()
        // A run is as long as they say.
        .filter(name -> !name.equals("requests") && !name.equals("warmup.requests"))
        .flatMap(name -> VALUES.stream().map(value -> Arguments.of(name, value)));
  }

  @ParameterizedTest(name = "{0} = {1}")
  @MethodSource("numbers")
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void endsOrSaysWhyNot(String name, String value) {
    runs(SMALL, name, value);
    runs(SMALL.with("line", "sine").with("keys", "uniform").with("read.share", 0.5), name, value);
    runs(SMALL.with("line", "constant").with("zipf.place", "scattered"), name, value);
  }

  private static void runs(Parameters others, String name, String value) {
    for (Designs design : Designs.values()) {
      try {
        assertThat(Run.of(design, others.with(name, value), 1).requests()).isEqualTo(200);
      } catch (IllegalArgumentException e) {
        assertThat(e).message().isNotBlank();
      }
    }
  }
}
