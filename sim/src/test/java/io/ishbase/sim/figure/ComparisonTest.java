package io.ishbase.sim.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.sim.design.Bounds;
import io.ishbase.sim.design.Contender;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.trace.Replay;
import io.ishbase.sim.trace.TraceFormat;
import io.ishbase.sim.trace.TraceReader;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.Presets;
import io.ishbase.sim.workload.RequestStream;
import io.ishbase.sim.workload.Requests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every preset at a small size, and a trace, as text in {@code src/test/resources/golden}. {@code
 * -Dishbase.golden=write} writes them anew, to be reviewed as a change.
 */
class ComparisonTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");
  private static final List<Contender> CONTENDERS =
      List.of(
          Designs.B, Designs.SA, Designs.IN_STORAGE, Designs.AUTO, Bounds.POPULAR, Bounds.BELADY);

  static Iterable<String> presets() {
    return Presets.names();
  }

  @ParameterizedTest
  @MethodSource("presets")
  void preset(String preset) throws IOException {
    Parameters parameters =
        Presets.of(preset)
            .with("blocks", 128)
            .with("requests", 2000)
            .with("cache", 0.05)
            .with("moving.requests", 1000)
            .with("flush.bytes", 65536);
    compare("run-" + preset, parameters, () -> new Requests(parameters, 1));
  }

  @Test
  void trace() throws IOException {
    Path file = Path.of("src/test/resources/traces/ycsb.txt");
    try (TraceReader reader = TraceFormat.YCSB.open(file, "")) {
      Replay replay = Replay.of(reader, 1000);
      Parameters parameters = replay.fit(Parameters.seed(), Set.of());
      compare("run-trace", parameters, replay.requests(parameters));
    }
  }

  @Test
  void whichOfThemFailsIsSaid() {
    Parameters none = Parameters.seed().with("cache", 0).with("blocks", 16);
    try (RunThreads threads = RunThreads.of(2)) {
      assertThatThrownBy(
              () ->
                  Comparison.of(
                      "none",
                      "none",
                      List.of(Designs.B, Designs.IN_STORAGE),
                      none,
                      () -> new Requests(none, 1),
                      () -> {},
                      threads))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(Designs.IN_STORAGE.label() + ": ");
    }
  }

  private static void compare(
      String name, Parameters parameters, Supplier<? extends RequestStream> load)
      throws IOException {
    AtomicInteger made = new AtomicInteger();
    String text;
    // Beside one another, and not in the order in which they are shown.
    try (RunThreads threads = RunThreads.of(3)) {
      text =
          Comparison.of(name, name, CONTENDERS, parameters, load, made::incrementAndGet, threads)
              .text();
    }
    assertThat(made).hasValue(CONTENDERS.size());
    Path file = GOLDEN.resolve(name + ".txt");
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }
}
