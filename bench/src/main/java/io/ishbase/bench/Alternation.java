package io.ishbase.bench;

import io.ishbase.cluster.NetworkRig;
import io.ishbase.cluster.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures variants in turn, window by window: A B B A.
 *
 * <p>What the caches hold when a window begins: each window is led in by the same load in the same
 * variant. Stock reads go through the region server's block cache and in-storage reads through the
 * daemons', so neither variant changes the other's cache; with {@link #warmUp} before the first
 * window, each window of a variant finds what the window before it left.
 */
public final class Alternation {
  /** Beyond this spread a run counts as disturbed. */
  private static final double CAPPED_SPREAD = 0.15;

  private static final double UNCAPPED_SPREAD = 0.25;
  private static final int MAX_REPEATS = 2;

  /** Rounds that are measured more at a time, so that each order comes as often as the other. */
  private static final int REPEATED_ROUNDS = 2;

  /** Something to do before a window. */
  @FunctionalInterface
  public interface Preparation {
    Preparation NONE = variant -> {};

    void prepare(Variant variant) throws IOException;
  }

  private final LoadDriver driver;
  private final NetworkRig rig;
  private final int rounds;
  private final Duration leadIn;
  private final Span window;
  private final Preparation preparation;
  private final ToDoubleFunction<Sample> judged;

  /**
   * An alternation of {@code rounds} windows for each variant.
   *
   * @param leadIn time at the start of each window that is not measured
   */
  public Alternation(LoadDriver driver, NetworkRig rig, int rounds, Duration leadIn, Span window) {
    this(driver, rig, rounds, leadIn, window, Preparation.NONE, Sample::perSecond);
  }

  private Alternation(
      LoadDriver driver,
      NetworkRig rig,
      int rounds,
      Duration leadIn,
      Span window,
      Preparation preparation,
      ToDoubleFunction<Sample> judged) {
    this.driver = driver;
    this.rig = rig;
    this.rounds = rounds;
    this.leadIn = leadIn;
    this.window = window;
    this.preparation = preparation;
    this.judged = judged;
  }

  /** The same, with something done before each window, its lead-in included. */
  public Alternation preparedBy(Preparation each) {
    return new Alternation(driver, rig, rounds, leadIn, window, each, judged);
  }

  /** The same with windows of another length. */
  public Alternation withWindow(Span other) {
    return new Alternation(driver, rig, rounds, leadIn, other, preparation, judged);
  }

  /** The same with another lead-in. */
  public Alternation withLeadIn(Duration other) {
    return new Alternation(driver, rig, rounds, other, window, preparation, judged);
  }

  /** The same, where the windows' agreement is judged by something else than their throughput. */
  public Alternation judgedBy(ToDoubleFunction<Sample> figure) {
    return new Alternation(driver, rig, rounds, leadIn, window, preparation, figure);
  }

  /** Brings JVMs and caches to a steady state: every variant, uncapped, discarded. */
  public void warmUp(String words, List<Variant> variants, Duration each) throws IOException {
    rig.capMbps(0);
    try (Progress progress =
        Progress.ofSeconds(words, variants.size() * each.toMillis() / 1000.0)) {
      for (Variant variant : variants) {
        progress.note(variant.name());
        driver.run(variant, Duration.ZERO, Span.of(each));
      }
    }
  }

  /**
   * Measures at a point. Its cap is gone afterwards. If the windows of a variant differ too much,
   * two more rounds are measured, at most twice; a note says so. All windows count.
   */
  public Comparison run(Point point, List<Variant> variants) throws IOException {
    Comparison comparison =
        new Comparison(point, variants.stream().map(Variant::name).toList(), judged);
    double bound = point.mbps() == 0 ? UNCAPPED_SPREAD : CAPPED_SPREAD;
    double seconds =
        (long) rounds
            * variants.size()
            * (leadIn.toMillis() + window.atLeast().toMillis())
            / 1000.0;
    rig.capMbps(point.mbps());
    try (Progress progress = Progress.ofSeconds(point.toString(), seconds)) {
      for (int round = 0; round < rounds; round++) {
        comparison.addRound(
            round(Order.ofRound(round, variants), progress, round == 0 ? "" : ", again"));
      }
      for (int repeat = 0; repeat < MAX_REPEATS && comparison.worstSpread() > bound; repeat++) {
        comparison
            .notes()
            .add(
                String.format(
                    Locale.ROOT,
                    "more windows: these spread by %.0f %%",
                    100 * comparison.worstSpread()));
        for (int more = 0; more < REPEATED_ROUNDS; more++) {
          comparison.addRound(
              round(Order.ofRound(rounds + more, variants), progress, ", more windows"));
        }
      }
      progress.done(inShort(comparison));
    } finally {
      rig.capMbps(0);
    }
    return comparison;
  }

  private Map<String, Sample> round(List<Variant> variants, Progress progress, String again)
      throws IOException {
    Map<String, Sample> round = new LinkedHashMap<>();
    for (Variant variant : variants) {
      progress.note(variant.name() + again);
      preparation.prepare(variant);
      round.put(variant.name(), driver.run(variant, leadIn, window));
    }
    return round;
  }

  private static String inShort(Comparison comparison) {
    StringBuilder words = new StringBuilder();
    for (String variant : comparison.variants()) {
      words.append(
          String.format(
              Locale.ROOT,
              "%s%s %.0f/s",
              words.isEmpty() ? "" : ", ",
              variant,
              comparison.median(variant, Sample::perSecond)));
    }
    return words.append(comparison.notes().isEmpty() ? "" : ", more windows").toString();
  }
}
