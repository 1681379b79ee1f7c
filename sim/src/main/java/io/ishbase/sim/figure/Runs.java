package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.Cluster;
import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.compaction.Setup;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Runs that figures need. One that several need is made once. */
public final class Runs {
  private record Key(Designs design, Map<String, String> parameters) {}

  private record ClusterKey(Setup setup, Map<String, String> parameters) {}

  private final Parameters parameters;
  private final long firstSeed;
  private final int seeds;
  private final Runnable progress;
  private final Map<Key, List<Outcome>> made = new HashMap<>();
  private final Map<ClusterKey, ClusterOutcome> clusters = new HashMap<>();

  /**
   * @param parameters of all runs, but for what a figure changes
   * @param seeds each run is made so often, with seeds from {@code firstSeed} on
   * @param progress called after each
   */
  public Runs(Parameters parameters, long firstSeed, int seeds, Runnable progress) {
    this.parameters = parameters;
    this.firstSeed = firstSeed;
    this.seeds = seeds;
    this.progress = progress;
  }

  /** Of all runs, but for what a figure changes. */
  Parameters parameters() {
    return parameters;
  }

  int seeds() {
    return seeds;
  }

  /** What comes of some region servers and who compacts for them, with the first seed. */
  ClusterOutcome of(Setup setup, Parameters changed) {
    ClusterOutcome outcome =
        clusters.computeIfAbsent(
            new ClusterKey(setup, changed.all()), key -> Cluster.run(changed, setup, firstSeed));
    progress.run();
    return outcome;
  }

  /** What a run of another kind gives. */
  <T> T made(Supplier<T> run) {
    T outcome = run.get();
    progress.run();
    return outcome;
  }

  /** The outcomes of a run, for each seed. */
  List<Outcome> of(Designs design, Parameters changed) {
    List<Outcome> known = made.get(new Key(design, changed.all()));
    if (known != null) {
      progress.run();
      return known;
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < seeds; i++) {
      outcomes.add(Run.of(design, changed, firstSeed + i));
    }
    made.put(new Key(design, changed.all()), outcomes);
    progress.run();
    return outcomes;
  }

  /** Queries a second, the mean of all seeds. */
  static double qps(List<Outcome> ofSeeds) {
    return ofSeeds.stream().mapToDouble(Outcome::qps).average().orElseThrow();
  }

  /** Half of what the queries a second of the seeds differ by, in percent of their middle. */
  static double spread(List<Outcome> ofSeeds) {
    double least = ofSeeds.stream().mapToDouble(Outcome::qps).min().orElseThrow();
    double most = ofSeeds.stream().mapToDouble(Outcome::qps).max().orElseThrow();
    return 100 * (most - least) / (most + least);
  }
}
