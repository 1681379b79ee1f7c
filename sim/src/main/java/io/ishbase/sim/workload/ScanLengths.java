package io.ishbase.sim.workload;

import java.util.SplittableRandom;

/** Draws the rows of Scans. */
final class ScanLengths {
  private final boolean isFixed;
  private final boolean isPareto;
  private final double mean;
  private final int most;
  private final double k;
  private final double sigma;
  private final double mostOfPareto;

  ScanLengths(Parameters parameters) {
    isFixed = parameters.is("scan.lengths", "fixed");
    isPareto = parameters.is("scan.lengths", "pareto");
    mean = parameters.number("scan.rows");
    most = (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(2 * mean - 1)));
    k = parameters.number("pareto.k");
    sigma = parameters.number("pareto.sigma");
    mostOfPareto = Math.max(1, parameters.number("pareto.most.rows"));
  }

  /** At least 1. */
  int draw(SplittableRandom random) {
    if (isFixed) {
      return (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(mean)));
    }
    return isPareto ? pareto(1 - random.nextDouble()) : 1 + random.nextInt(most);
  }

  /** A generalized Pareto distribution, cut as {@code db_bench} cuts it. */
  private int pareto(double above) {
    double rows =
        k == 0 ? -sigma * StrictMath.log(above) : sigma * (StrictMath.pow(above, -k) - 1) / k;
    return (int) Math.max(1, StrictMath.ceil(rows) % mostOfPareto);
  }
}
