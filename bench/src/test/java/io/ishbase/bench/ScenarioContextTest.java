package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.report.Results;
import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.client.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioContextTest {
  private static final List<Integer> SMALL = List.of(8, 0);
  private static final List<Integer> FULL = List.of(1, 8, 0);

  @TempDir private Path dir;
  private final Results results = new Results("scenario", "", "");

  private ScenarioContext context(
      boolean canCap, boolean full, List<Integer> bandwidths, double rate) {
    NetworkRig rig =
        new FakeRig() {
          @Override
          public boolean canCap() {
            return canCap;
          }
        };
    BenchCluster cluster =
        new BenchCluster() {
          @Override
          public void startCompactionServer() {}

          @Override
          public ClusterServer server(ClusterServer.Kind kind, int node) {
            throw new UnsupportedOperationException();
          }

          @Override
          public Connection connection() {
            throw new UnsupportedOperationException();
          }

          @Override
          public Counters processors() {
            return Counters.NONE;
          }

          @Override
          public NetworkRig rig() {
            return rig;
          }

          @Override
          public List<String> regionServers() {
            return List.of();
          }
        };
    BenchOptions options =
        new BenchOptions(
            full,
            false,
            false,
            1,
            1,
            0,
            1,
            bandwidths,
            rate,
            1,
            Mode.PLAIN,
            TableFormat.PLAIN,
            1,
            List.of());
    return new ScenarioContext(cluster, new Shared(), options, results);
  }

  private String json() throws IOException {
    Path file = dir.resolve("results.json");
    results.write(file);
    return Files.readString(file);
  }

  @Test
  void bandwidthsArePresetUnlessTheUserNamesThem() throws IOException {
    assertThat(context(true, false, List.of(), 0).bandwidths(SMALL, FULL)).isEqualTo(SMALL);
    assertThat(context(true, true, List.of(), 0).bandwidths(SMALL, FULL)).isEqualTo(FULL);
    assertThat(context(true, true, List.of(64), 0).bandwidths(SMALL, FULL)).containsExactly(64);
    assertThat(json()).doesNotContain("left out");
  }

  @Test
  void whereNothingCanBeCappedItIsMeasuredUncappedAndANoteSaysSo() throws IOException {
    assertThat(context(false, true, List.of(), 0).bandwidths(SMALL, FULL)).containsExactly(0);
    assertThat(context(false, true, List.of(64), 0).bandwidths(SMALL, FULL)).containsExactly(0);
    assertThat(json()).contains("points under a cap are left out");
  }

  @Test
  void aVariantThatFallsBehindTheRateIsNoted() throws IOException {
    ScenarioContext context = context(true, false, List.of(), 1000);
    FakeClock clock = new FakeClock();
    Alternation alternation =
        new Alternation(
            new LoadDriver(clock, context.rig(), 1, 1000),
            context.rig(),
            1,
            Duration.ZERO,
            Span.of(Duration.ofSeconds(1)));
    Variant fast = Variant.of("fast", worker -> tally -> clock.pass(Duration.ofNanos(500_000)));
    Variant slow = Variant.of("slow", worker -> tally -> clock.pass(Duration.ofMillis(2)));
    Comparison comparison = context.measure(alternation, Point.uncapped(), List.of(fast, slow));
    assertThat(comparison.notes()).containsExactly("slow fell behind the rate");
  }
}
