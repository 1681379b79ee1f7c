package io.ishbase.bench;

import io.ishbase.cluster.ClusterNeeds;
import java.io.IOException;
import java.util.List;

/** Something that {@code ./ishbase bench} measures. */
public interface Scenario {
  /** As the command line calls it: lower case, hyphens. */
  String name();

  /** What it shows, in one line. */
  String description();

  /** The figures of the seed documents that it corresponds to. */
  String seedFigures();

  /** Names of its workloads, of which a user may choose some; none if it has but one. */
  default List<String> workloads() {
    return List.of();
  }

  /** The cluster that it runs on. */
  default ClusterNeeds needs(BenchOptions options) {
    return ClusterNeeds.usual(options.rowsOrPreset());
  }

  /** About how long it takes, loading included, for the time left. */
  double estimatedSeconds(BenchOptions options);

  /** Loads what is not loaded yet, measures, and fills the context's results. */
  void run(ScenarioContext context) throws IOException;
}
