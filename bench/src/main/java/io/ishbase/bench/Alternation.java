package io.ishbase.bench;

import java.io.IOException;
import java.time.Duration;

/** Runs a load in both modes in turn, window by window: A B A B. */
public final class Alternation {
  private final NetworkRig rig;
  private final int rounds;
  private final Duration leadIn;
  private final Duration window;

  /**
   * An alternation of {@code rounds} windows for each mode.
   *
   * @param leadIn time at the start of each window that is not measured
   */
  public Alternation(NetworkRig rig, int rounds, Duration leadIn, Duration window) {
    this.rig = rig;
    this.rounds = rounds;
    this.leadIn = leadIn;
    this.window = window;
  }

  /**
   * Brings JVMs and caches to a steady state: both modes uncapped, discarded. In-storage reads do
   * not pass through the region server's block cache, so it keeps what stock reads left there.
   */
  public static void warmUp(String words, GetLoad load, NetworkRig rig, Duration perMode)
      throws IOException {
    rig.capMbps(0);
    try (Progress progress =
        Progress.ofSeconds("warming up, " + words, Mode.values().length * perMode.toSeconds())) {
      for (Mode mode : Mode.values()) {
        progress.note(mode.toString());
        load.run(mode, Duration.ZERO, perMode);
      }
      progress.done("");
    }
  }

  /** Measures under a cap; 0: none. The cap is gone afterwards. */
  public Comparison run(String words, GetLoad load, int mbps) throws IOException {
    Comparison comparison = Comparison.of(words, mbps);
    double seconds =
        rounds * Mode.values().length * (leadIn.toMillis() + window.toMillis()) / 1000.0;
    rig.capMbps(mbps);
    try (Progress progress = Progress.ofSeconds(words + ", " + comparison.capInWords(), seconds)) {
      for (int round = 0; round < rounds; round++) {
        for (Mode mode : Mode.values()) {
          progress.note(mode + (round == 0 ? "" : ", again"));
          comparison.windows().get(mode).add(load.run(mode, leadIn, window));
        }
      }
      progress.done(
          String.format(
              "%.0f and %.0f Gets/s",
              comparison.median(Mode.STOCK, Sample::perSecond),
              comparison.median(Mode.IN_STORAGE, Sample::perSecond)));
    } finally {
      rig.capMbps(0);
    }
    return comparison;
  }
}
