package io.ishbase.sim.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.sim.workload.Parameters;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a user gives a parameter of compactions, a run ends, or is refused with words. */
class AnyCompactionParametersTest {
  private static final List<String> VALUES =
      List.of("0", "0.001", "1", "60", "65536", "1e9", "1e11", "1e12", "Infinity");
  private static final Parameters SEED = Parameters.seed();
  private static final int SECONDS = 600;

  /** Others are those of requests, but for these two. */
  static Stream<Arguments> numbers() {
    return SEED.all().keySet().stream()
        .filter(
            name ->
                name.matches("(compaction|budget|files|region|flush|major|server|large|read)[.].*")
                    || List.of(
                            "block.bytes",
                            "round.trip.ms",
                            "update.bytes",
                            "compact.bytes",
                            "transfer.bytes",
                            "patience.ms")
                        .contains(name))
        .flatMap(name -> VALUES.stream().map(value -> Arguments.of(name, value)));
  }

  @ParameterizedTest(name = "{0} = {1}")
  @MethodSource("numbers")
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void endsOrSaysWhyNot(String name, String value) {
    try {
      Parameters parameters = SEED.with(name, value);
      for (Way way : Way.values()) {
        assertThat(OneCompaction.nanos(parameters, way, 2, 2, 0.1, 0.1)).isNotNegative();
      }
      assertThat(BesideReads.nanos(parameters, 0.9, 0)).isNotNegative();
      for (Who who : Who.values()) {
        WarmUpMode mode = who.isRemote() ? WarmUpMode.THROTTLED : WarmUpMode.NONE;
        Setup setup = new Setup(2, who.isRemote() ? 1 : 0, who, mode, SECONDS, 60);
        assertThat(Cluster.run(parameters, setup, 1).readMs())
            .hasSize(SECONDS)
            .allMatch(ms -> ms > 0 && Double.isFinite(ms));
      }
      Setup again = new Setup(1, 1, Who.OURS, WarmUpMode.NONE, SECONDS, 0);
      assertThat(Cluster.run(parameters, again, 1).readMs()).hasSize(SECONDS);
    } catch (IllegalArgumentException e) {
      assertThat(e).message().isNotBlank().doesNotStartWith("An event");
    }
  }
}
