package io.ishbase.dist;

import io.ishbase.bench.BenchCluster;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Counters;
import io.ishbase.bench.OverallProgress;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Shared;
import io.ishbase.bench.report.Report;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.scenario.Scenarios;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** Runs scenarios one after the other, on as few clusters as they allow, and reports each. */
final class BenchRun {
  private static final int CLIENT_PATIENCE_MILLIS = 180_000;
  private static final Duration CLUSTER_START = Duration.ofSeconds(35);

  private final List<Scenario> scenarios;
  private final BenchOptions options;
  private final String command;
  private final Path dir = Home.bench();
  private final List<Results> done = new ArrayList<>();

  /** What the classes of this process were built from. */
  private final Optional<String> commit = Home.commit();

  /** What fails if something fails; null: none. */
  private Scenario underWay;

  BenchRun(List<Scenario> scenarios, BenchOptions options, String command) {
    this.scenarios = scenarios;
    this.options = options;
    this.command = command;
  }

  /**
   * Runs all. Where one of several fails, the others still run, on a cluster of their own.
   *
   * @throws CliException in the end, if one failed
   */
  void run() throws IOException {
    List<Scenario> left = new ArrayList<>(scenarios);
    List<String> failures = new ArrayList<>();
    try (OverallProgress overall = new OverallProgress()) {
      while (!left.isEmpty()) {
        try {
          runOnOneCluster(left, overall);
        } catch (IOException | RuntimeException e) {
          if (scenarios.size() == 1 || Lifetime.isEnding()) {
            throw e;
          }
          // Where all that could share a cluster were done, it is the cluster's end that failed.
          Scenario failed = underWay;
          left.remove(failed);
          failures.add(
              (failed == null ? "the end of a cluster" : failed.name())
                  + " failed: "
                  + e.getMessage());
          System.err.println("ishbase: " + failures.get(failures.size() - 1));
        }
      }
    } finally {
      if (!done.isEmpty()) {
        System.out.println("\n" + new Report(done).text());
        System.out.println("Written to " + dir + "; the page is " + page());
      }
    }
    if (!failures.isEmpty()) {
      throw new CliException(String.join("; ", failures));
    }
  }

  /** Runs the first of {@code left}, and those behind it that need the same; takes them out. */
  private void runOnOneCluster(List<Scenario> left, OverallProgress overall) throws IOException {
    ClusterNeeds needs = needs(left.get(0));
    underWay = left.get(0);
    try (TemporaryCluster temporary = TemporaryCluster.start(dir, clusterOptions(needs));
        Connection connection = ConnectionFactory.createConnection(patient(temporary.cluster()))) {
      BenchCluster cluster = new Cluster(connection, temporary.cluster(), clusterOptions(needs));
      Shared shared = new Shared();
      while (!left.isEmpty() && needs(left.get(0)).equals(needs)) {
        Scenario next = left.get(0);
        overall.next(
            scenarios.indexOf(next) + 1 + "/" + scenarios.size() + " " + next.name(),
            next.estimatedSeconds(options),
            secondsOf(left.subList(1, left.size()), needs));
        underWay = next;
        runOne(next, cluster, shared);
        left.remove(0);
        underWay = null;
      }
      temporary.succeeded();
    }
  }

  /**
   * A client that waits out a slow line, for to ask again would only make it slower, but not, as
   * HBase's does, a server that is gone for twenty minutes.
   */
  private static Configuration patient(LocalCluster cluster) {
    Configuration conf = cluster.clientConfiguration();
    conf.setInt("hbase.rpc.timeout", CLIENT_PATIENCE_MILLIS);
    conf.setInt("hbase.client.scanner.timeout.period", CLIENT_PATIENCE_MILLIS);
    conf.setInt("hbase.client.operation.timeout", CLIENT_PATIENCE_MILLIS);
    return conf;
  }

  private ClusterNeeds needs(Scenario scenario) {
    return scenario.needs(options).withReplicas(options.replicas());
  }

  private ClusterOptions clusterOptions(ClusterNeeds needs) {
    return new ClusterOptions(
        options.loopback(),
        "stock",
        needs.daemons(),
        needs.site(),
        needs.regionServers(),
        needs.compactionServers(),
        needs.storageNodes(),
        options.secured());
  }

  private void runOne(Scenario scenario, BenchCluster cluster, Shared shared) throws IOException {
    Instant start = Instant.now();
    Results results = new Results(scenario.name(), scenario.description(), scenario.seedFigures());
    results.fact("command", command);
    results.fact("begun", start.truncatedTo(ChronoUnit.SECONDS));
    Machine.facts().forEach(results::fact);
    results.fact("network", cluster.rig().counting());
    Conditions.of(needs(scenario).conditions(), cluster.rig(), results);
    if (options.secured()) {
      results.condition("security", "Kerberos, SASL privacy on every connection, block tokens");
    }
    needs(scenario).facts().forEach(results::fact);
    results.fact(
        "client",
        options.openLoopRate() > 0
            ? options.openLoopRate() + " operations started each second (open loop)"
            : "closed loop");
    results.fact("client threads, unless a row says otherwise", options.threadsOrPreset());
    results.fact("windows for each variant and row", options.roundsOrPreset());
    results.fact("seconds of a window", options.window().toMillis() / 1000.0);
    results.fact("usual table", options.table());
    results.fact("seed", options.seed());
    scenario.run(new ScenarioContext(cluster, shared, options, results));
    if (!Home.commit().equals(commit)) {
      // Who was measured is not sure: what is begun anew takes what has been built by then.
      String moved = commit.orElse("none").replace(Results.DIRTY, "") + Results.DIRTY;
      results.fact("commit", moved);
      results.condition("commit", moved);
    }
    results.fact("seconds in all", Duration.between(start, Instant.now()).toSeconds());
    results.write(dir.resolve(scenario.name() + ".json"));
    Report.of(dir, Scenarios.names()).writeHtml(page(), "IS-HBase benchmarks");
    done.add(results);
  }

  private Path page() {
    return dir.resolve("report.html");
  }

  /** Seconds that some scenarios will take by estimate, on a cluster of {@code last} at first. */
  private double secondsOf(List<Scenario> some, ClusterNeeds last) {
    double seconds = 0;
    for (Scenario scenario : some) {
      ClusterNeeds needs = needs(scenario);
      seconds += scenario.estimatedSeconds(options);
      seconds += needs.equals(last) ? 0 : CLUSTER_START.toSeconds();
      last = needs;
    }
    return seconds;
  }

  private record Cluster(Connection connection, LocalCluster local, ClusterOptions options)
      implements BenchCluster {
    @Override
    public NetworkRig rig() {
      return local.rig();
    }

    @Override
    public Counters processors() {
      return () -> {
        Map<String, Double> seconds = new TreeMap<>();
        local
            .processorSeconds()
            .forEach((kind, value) -> seconds.put(Counters.PROCESSOR + kind, value));
        return seconds;
      };
    }

    @Override
    public List<String> regionServers() {
      return local.regionServers();
    }

    @Override
    public ClusterServer server(ClusterServer.Kind kind, int node) {
      return local.server(kind, node, options);
    }

    @Override
    public void startCompactionServer() throws IOException {
      local.startCompactionServer(options);
    }
  }
}
