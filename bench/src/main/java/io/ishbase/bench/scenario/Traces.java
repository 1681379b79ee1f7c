package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Point;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code traces}: what OpenTelemetry's traces cost, by its agent for Java. One region server has
 * none, one has an agent that samples nothing, one an agent that samples a hundredth. The daemons
 * have agents, too, and record what the region servers record.
 */
final class Traces implements Scenario {
  /** Says where the agent's jar is; {@code ./ishbase} does. */
  private static final String AGENT = "ishbase.bench.agent";

  private static final List<String> NAMES =
      List.of("no agent", "agent, samples nothing", "agent, samples 1 %");

  private static final int LOADS = 4;

  @Override
  public String name() {
    return "traces";
  }

  @Override
  public String description() {
    return "Reads of a region server whose traces are sampled, and of one without";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    ClusterNeeds needs = ClusterNeeds.usual(options.rowsOrPreset());
    RegionServer none = needs.regionServers().get(0);
    return needs
        .withRegionServers(
            List.of(
                none,
                none.withFlags(agent("always_off", "0")),
                none.withFlags(agent("parentbased_traceidratio", "0.01"))))
        .withDaemons(needs.daemons().withFlags(agent("parentbased_always_off", "0")));
  }

  private static List<String> agent(String sampler, String argument) {
    String jar = System.getProperty(AGENT, "opentelemetry-javaagent.jar");
    return List.of(
        "-javaagent:" + Path.of(jar).toAbsolutePath(),
        "-Dotel.traces.exporter=logging",
        "-Dotel.metrics.exporter=none",
        "-Dotel.logs.exporter=none",
        "-Dotel.traces.sampler=" + sampler,
        "-Dotel.traces.sampler.arg=" + argument);
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int variants = LOADS * NAMES.size();
    return 20
        + options.rowsOrPreset() * 3e-4
        + variants * (double) options.firstWarmUp().toSeconds()
        + options.secondsOf(variants * options.roundsOrPreset());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    try (Placement placement = new Placement(context.connection())) {
      SameRows tables = SameRows.atEachServer(context, placement, "traced", NAMES);
      for (Mode mode : options.modes()) {
        tables.compare(
            SameRows.reads(options, mode),
            List.of(0),
            Point.uncapped().with("read", mode).target("ratio 0.99"));
      }
    }
  }
}
