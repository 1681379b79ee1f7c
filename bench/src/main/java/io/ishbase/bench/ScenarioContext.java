package io.ishbase.bench;

import io.ishbase.bench.report.Results;
import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Connection;

/** What a scenario works with: the cluster, the options, and where the results go. */
public final class ScenarioContext {
  /** The share of an open loop's rate that counts as holding it. */
  private static final double HELD = 0.95;

  private final BenchCluster cluster;
  private final Shared shared;
  private final BenchOptions options;
  private final Results results;

  public ScenarioContext(
      BenchCluster cluster, Shared shared, BenchOptions options, Results results) {
    this.cluster = cluster;
    this.shared = shared;
    this.options = options;
    this.results = results;
  }

  public BenchCluster cluster() {
    return cluster;
  }

  public Connection connection() {
    return cluster.connection();
  }

  public NetworkRig rig() {
    return cluster.rig();
  }

  public BenchOptions options() {
    return options;
  }

  public Results results() {
    return results;
  }

  /** What the scenarios before this one left. */
  public Shared shared() {
    return shared;
  }

  /**
   * The bandwidths that the user wants, else those preset, in Mbps with 0 for uncapped. Where
   * nothing can be capped, uncapped alone, which a note says.
   */
  public List<Integer> bandwidths(List<Integer> small, List<Integer> full) {
    List<Integer> wanted =
        options.bandwidths().isEmpty() ? options.preset(small, full) : options.bandwidths();
    if (rig().canCap() || wanted.stream().allMatch(mbps -> mbps == 0)) {
      return wanted;
    }
    results.note(
        "Without network namespaces nothing can be capped: points under a cap are left out.");
    return List.of(0);
  }

  /** A driver with the client threads and the pace that the user wants. */
  public LoadDriver driver() {
    return driver(options.threadsOrPreset());
  }

  /** The same with another number of client threads. */
  public LoadDriver driver(int threads) {
    return driver(threads, options.openLoopRate());
  }

  /**
   * The same at a pace of the caller's.
   *
   * @param perSecond operations that start each second; 0: closed loop
   */
  public LoadDriver driver(int threads, double perSecond) {
    return new LoadDriver(Clock.SYSTEM, rig(), threads, perSecond, cluster.processors());
  }

  /** An alternation of as many rounds and as long windows as the options say. */
  public Alternation alternation(LoadDriver driver) {
    return new Alternation(
        driver, rig(), options.roundsOrPreset(), options.leadIn(), Span.of(options.window()));
  }

  /** Runs every variant until JVMs and caches are steady; longer the first time in a cluster. */
  public void warmUp(String words, Alternation alternation, List<Variant> variants)
      throws IOException {
    alternation.warmUp(
        "warming up, " + words, variants, shared.warm() ? options.warmUp() : options.firstWarmUp());
  }

  /**
   * Measures at a point and adds what came out to the results. A variant that fell behind an open
   * loop's rate is noted.
   */
  public Comparison measure(Alternation alternation, Point point, List<Variant> variants)
      throws IOException {
    return measure(alternation, point, variants, Map.of());
  }

  /** The same with further figures of each variant, by name with unit. */
  public Comparison measure(
      Alternation alternation,
      Point point,
      List<Variant> variants,
      Map<String, Plots.Figure> further)
      throws IOException {
    Comparison comparison = alternation.run(point, variants);
    for (String variant : comparison.variants()) {
      if (comparison.median(variant, Sample::perSecond) < HELD * options.openLoopRate()) {
        comparison.notes().add(variant + " fell behind the rate");
      }
    }
    comparison.addTo(results, further);
    return comparison;
  }
}
