package io.ishbase.sim.workload;

import java.util.SplittableRandom;

/**
 * Rows as RocksDB's {@code db_bench} draws them for {@code mixgraph} (Cao et al., "Characterizing,
 * Modeling, and Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020, section 7):
 * ranges of keys whose hotness is the sum of two exponentials, in no order, and in each a power law
 * over rows that lie scattered. Which range and which row is hot differs from there, for its random
 * numbers do.
 */
final class Mixgraph implements KeyDraw {
  private final int rangeKeys;
  private final double keyA;
  private final double keyB;

  /** Of each range and all before it, the share of the requests. */
  private final double[] upTo;

  Mixgraph(Parameters parameters, int keys) {
    int ranges = Math.max(1, Math.min(keys, parameters.whole("mixgraph.ranges")));
    rangeKeys = keys / ranges;
    keyA = parameters.number("mixgraph.key.a");
    keyB = parameters.number("mixgraph.key.b");
    upTo = new double[ranges];
    double sum = 0;
    for (int range = 0; range < ranges; range++) {
      double hotness =
          parameters.number("mixgraph.a")
                  * StrictMath.exp(-parameters.number("mixgraph.b") * (range + 1))
              + parameters.number("mixgraph.c")
                  * StrictMath.exp(-parameters.number("mixgraph.d") * (range + 1));
      upTo[range] = hotness;
      sum += hotness;
    }
    if (!(sum > 0)) {
      throw new IllegalArgumentException("mixgraph.a or mixgraph.c is above 0");
    }
    shuffle(upTo);
    double before = 0;
    for (int range = 0; range < ranges; range++) {
      before += upTo[range] / sum;
      upTo[range] = before;
    }
  }

  /** Always the same way. */
  private static void shuffle(double[] values) {
    SplittableRandom random = new SplittableRandom(values.length);
    for (int i = values.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      double value = values[i];
      values[i] = values[other];
      values[other] = value;
    }
  }

  @Override
  public int draw(SplittableRandom random, long before) {
    double share = random.nextDouble();
    int range = 0;
    while (range < upTo.length - 1 && share >= upTo[range]) {
      range++;
    }
    int at = random.nextInt(rangeKeys);
    return range * rangeKeys + (keyA == 0 || keyB == 0 ? at : powerLaw((double) at / rangeKeys));
  }

  private int powerLaw(double share) {
    double rank = StrictMath.ceil(StrictMath.pow(share / keyA, 1 / keyB));
    return (int) Long.remainderUnsigned(scattered((long) rank), rangeKeys);
  }

  /** The finalizer of splitmix64. */
  private static long scattered(long rank) {
    long hash = (rank + 1) * 0x9E3779B97F4A7C15L;
    hash = (hash ^ hash >>> 30) * 0xBF58476D1CE4E5B9L;
    hash = (hash ^ hash >>> 27) * 0x94D049BB133111EBL;
    return hash ^ hash >>> 31;
  }
}
