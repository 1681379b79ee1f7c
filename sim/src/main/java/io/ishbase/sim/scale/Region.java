package io.ishbase.sim.scale;

import java.util.SplittableRandom;

/** All regions of a cluster, in arrays, for there may be a million. */
final class Region {
  private Region() {}

  /** Parts of the load, by Zipf's law, in no order. */
  static float[] loads(int regions, double exponent, SplittableRandom random) {
    float[] loads = new float[regions];
    double sum = 0;
    for (int i = 0; i < regions; i++) {
      double load = StrictMath.pow(i + 1, -exponent);
      sum += load;
      int other = random.nextInt(i + 1);
      loads[i] = loads[other];
      loads[other] = (float) load;
    }
    for (int i = 0; i < regions; i++) {
      loads[i] /= (float) sum;
    }
    return loads;
  }
}
