package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.Cluster;
import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.compaction.Setup;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.workload.Parameters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Runs that figures need. One that several need is made once. For one thread. */
public final class Runs {
  private record Key(Designs design, Map<String, String> parameters) {}

  private record ClusterKey(Setup setup, Map<String, String> parameters) {}

  private final Parameters parameters;
  private final long firstSeed;
  private final int seeds;
  private final Runnable progress;
  private final RunThreads threads;
  private final Map<Key, List<Future<Outcome>>> begun = new HashMap<>();
  private final Map<ClusterKey, Future<ClusterOutcome>> begunClusters = new HashMap<>();

  /** The thread that asks for them carries them out. */
  public Runs(Parameters parameters, long firstSeed, int seeds, Runnable progress) {
    this(parameters, firstSeed, seeds, progress, RunThreads.none());
  }

  /**
   * @param parameters of all runs, but for what a figure changes
   * @param seeds each run is made so often, with seeds from {@code firstSeed} on
   * @param progress called after each
   * @param threads that carry them out
   */
  public Runs(
      Parameters parameters, long firstSeed, int seeds, Runnable progress, RunThreads threads) {
    this.parameters = parameters;
    this.firstSeed = firstSeed;
    this.seeds = seeds;
    this.progress = progress;
    this.threads = threads;
  }

  /** Of all runs, but for what a figure changes. */
  Parameters parameters() {
    return parameters;
  }

  int seeds() {
    return seeds;
  }

  /** Begins a run of some region servers that will be asked for. */
  void begin(Setup setup, Parameters changed) {
    begun(setup, changed);
  }

  private Future<ClusterOutcome> begun(Setup setup, Parameters changed) {
    return begunClusters.computeIfAbsent(
        new ClusterKey(setup, changed.all()),
        key -> threads.begin(() -> Cluster.run(changed, setup, firstSeed)));
  }

  /** What comes of some region servers and who compacts for them, with the first seed. */
  ClusterOutcome of(Setup setup, Parameters changed) {
    ClusterOutcome outcome = RunThreads.await(begun(setup, changed));
    progress.run();
    return outcome;
  }

  /** What a run of another kind gives, made by the thread that asks. */
  <T> T made(Supplier<T> run) {
    T outcome = run.get();
    progress.run();
    return outcome;
  }

  /** Begins a run that will be asked for. */
  void begin(Designs design, Parameters changed) {
    begun(design, changed);
  }

  private List<Future<Outcome>> begun(Designs design, Parameters changed) {
    return begun.computeIfAbsent(
        new Key(design, changed.all()),
        key ->
            // The one after the last number is the first: any seed may be the first of several.
            LongStream.range(0, seeds)
                .mapToObj(i -> threads.begin(() -> Run.of(design, changed, firstSeed + i)))
                .toList());
  }

  /** The outcomes of a run, for each seed. */
  List<Outcome> of(Designs design, Parameters changed) {
    List<Outcome> outcomes = begun(design, changed).stream().map(RunThreads::await).toList();
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
