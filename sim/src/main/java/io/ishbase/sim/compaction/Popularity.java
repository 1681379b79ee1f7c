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

  /** The most popular rows, of which each counts by itself. */
  private static final long SUMMED = 1 << 20;

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
    long rows = (long) parameters.number("region.rows");
    double inBytes = parameters.number("region.bytes") / parameters.number("block.bytes");
    long blocks = Math.max(1, Math.min(rows, (long) inBytes));
    double cold = integral(exponent, blocks, rows);
    double all = weight(exponent, 0, blocks) + cold;
    long from = 0;
    while (from < blocks) {
      long to = Math.min(blocks, Math.max(from + 1, (long) (from * CLASS_GROWTH)));
      double weight = weight(exponent, from, to) + cold / blocks * (to - from);
      classes.add(new BlockClass(weight / all, to - from));
      from = to;
    }
  }

  /** Of the rows from one rank, from 0 on, to before another. */
  private static double weight(double exponent, long from, long to) {
    long summed = Math.max(from, Math.min(to, SUMMED));
    double weight = integral(exponent, summed, to);
    for (long rank = from; rank < summed; rank++) {
      weight += StrictMath.pow(rank + 1, -exponent);
    }
    return weight;
  }

  /** What the sum of many lies close to. */
  private static double integral(double exponent, double from, double to) {
    double first = from + 0.5;
    double last = to + 0.5;
    return exponent == 1
        ? StrictMath.log(last / first)
        : (StrictMath.pow(last, 1 - exponent) - StrictMath.pow(first, 1 - exponent))
            / (1 - exponent);
  }

  List<BlockClass> classes() {
    return classes;
  }
}
