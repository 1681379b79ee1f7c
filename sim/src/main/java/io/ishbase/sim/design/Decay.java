package io.ishbase.sim.design;

/**
 * How hotness fades: each period counts as a part α of the sum, and what was before as the rest
 * (section 6.2). Powers of the rest are kept, since a power takes longer than all else of a look.
 */
final class Decay {
  private static final int KEPT = 256;

  private final double alpha;
  private final double[] powers = new double[KEPT];

  Decay(double alpha) {
    this.alpha = alpha;
    for (int i = 0; i < KEPT; i++) {
      powers[i] = StrictMath.pow(1 - alpha, i);
    }
  }

  /** Hotness at the end of a period. */
  double next(int accesses, double before) {
    return alpha * accesses + (1 - alpha) * before;
  }

  /** What is left of a hotness after so many periods without an access. */
  double after(long periods) {
    return periods < KEPT ? powers[(int) periods] : StrictMath.pow(1 - alpha, (double) periods);
  }
}
