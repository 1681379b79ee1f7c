package io.ishbase.sim.workload;

import java.util.SplittableRandom;

/**
 * Ranks from 0, rank k as often as 1 / (k + 1)^exponent, exactly, for any exponent above 0 but 1.
 *
 * <p>By rejection from an integral that lies above the sum (Hörmann and Derflinger, "Rejection-
 * inversion to generate variates from monotone discrete distributions", 1996): no table, and hardly
 * ever a second draw.
 */
public final class Zipf {
  private final long ranks;
  private final double exponent;
  private final double lowest;
  private final double highest;
  private final double sure;

  /**
   * @throws IllegalArgumentException if there is no such distribution
   */
  public Zipf(long ranks, double exponent) {
    if (!(exponent > 0) || exponent == 1) {
      throw new IllegalArgumentException(
          "A Zipf exponent is above 0 and not 1, unlike " + exponent);
    }
    this.ranks = ranks;
    this.exponent = exponent;
    lowest = integral(1.5) - 1;
    highest = integral(ranks + 0.5);
    sure = 2 - inverse(integral(2.5) - weight(2));
  }

  /** The next rank, from 0. */
  public long draw(SplittableRandom random) {
    while (true) {
      double at = highest + random.nextDouble() * (lowest - highest);
      double x = inverse(at);
      long rank = Math.max(1, Math.min(ranks, (long) (x + 0.5)));
      if (rank - x <= sure || at >= integral(rank + 0.5) - weight(rank)) {
        return rank - 1;
      }
    }
  }

  private double weight(double x) {
    return StrictMath.pow(x, -exponent);
  }

  private double integral(double x) {
    return (StrictMath.pow(x, 1 - exponent) - 1) / (1 - exponent);
  }

  private double inverse(double y) {
    return StrictMath.pow(1 + y * (1 - exponent), 1 / (1 - exponent));
  }
}
