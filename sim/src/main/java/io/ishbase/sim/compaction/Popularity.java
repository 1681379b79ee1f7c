package io.ishbase.sim.compaction;

import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;

/**
 * How often a region's blocks are read: its rows by Zipf, scattered, so that each hot row is in a
 * block of its own and cold ones are spread evenly. Blocks of about the same popularity are one
 * class.
 */
final class Popularity {
  private static final double CLASS_GROWTH = 1.1;

  /**
   * Blocks of about the same popularity.
   *
   * @param share of all reads, of these blocks together
   * @param blocks how many
   */
  record BlockClass(double share, long blocks) {}

  private final List<BlockClass> classes = new ArrayList<>();

  Popularity(Parameters parameters) {
    double exponent = parameters.number("read.zipf");
    long blocks = (long) (parameters.number("region.bytes") / parameters.number("block.bytes"));
    double rows = parameters.number("region.rows");
    double[] weights = new double[(int) blocks];
    double hot = 0;
    for (int rank = 0; rank < blocks; rank++) {
      weights[rank] = StrictMath.pow(rank + 1, -exponent);
      hot += weights[rank];
    }
    // The sum over all other rows lies close to the integral.
    double cold =
        (StrictMath.pow(rows + 0.5, 1 - exponent) - StrictMath.pow(blocks + 0.5, 1 - exponent))
            / (1 - exponent);
    long from = 0;
    while (from < blocks) {
      long to = Math.min(blocks, Math.max(from + 1, (long) (from * CLASS_GROWTH)));
      double weight = 0;
      for (long rank = from; rank < to; rank++) {
        weight += weights[(int) rank] + cold / blocks;
      }
      classes.add(new BlockClass(weight / (hot + cold), to - from));
      from = to;
    }
  }

  List<BlockClass> classes() {
    return classes;
  }
}
