package io.ishbase.bench;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Which of a table's rows clients ask for: numbers from 0, uniform or Zipfian with exponent 0.99.
 *
 * <p>The Zipfian draw is that of Gray et al., "Quickly generating billion-record synthetic
 * databases", SIGMOD 1994, section 4.2. Ranks are numbers of rows: YCSB's keys are hashes of them,
 * so that popular rows do not lie together.
 */
public final class Keys {
  private static final double THETA = 0.99;

  private final long rows;
  private final boolean zipfian;
  private double zeta;
  private double eta;

  private Keys(long rows, boolean zipfian) {
    this.rows = rows;
    this.zipfian = zipfian;
    if (zipfian) {
      for (long rank = 1; rank <= rows; rank++) {
        zeta += 1 / Math.pow(rank, THETA);
      }
      double zetaOfTwo = 1 + 1 / Math.pow(2, THETA);
      eta = (1 - Math.pow(2.0 / rows, 1 - THETA)) / (1 - zetaOfTwo / zeta);
    }
  }

  /** Every row as often. */
  public static Keys uniform(long rows) {
    return new Keys(rows, false);
  }

  /** The row of rank k as often as 1 / k^0.99. */
  public static Keys zipfian(long rows) {
    return new Keys(rows, true);
  }

  /** One of the two by its name, uniform or zipfian. */
  public static Keys of(String distribution, long rows) {
    return new Keys(rows, distribution.equals("zipfian"));
  }

  /** An endless row of draws, always the same for the same seed. For one thread. */
  public LongSupplier draws(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return zipfian ? () -> rank(random.nextDouble()) : () -> random.nextLong(rows);
  }

  /**
   * Draws for the workers of a load. A worker's go on where they ended in the window before: drawn
   * anew, the rows of each window would be in the caches since the one before.
   */
  public IntFunction<LongSupplier> ongoingDraws(long seed) {
    Map<Integer, LongSupplier> byWorker = new ConcurrentHashMap<>();
    return worker -> byWorker.computeIfAbsent(worker, each -> draws(seed * 1000 + each));
  }

  private long rank(double u) {
    double uz = u * zeta;
    if (uz < 1) {
      return 0;
    }
    if (uz < 1 + Math.pow(0.5, THETA)) {
      return 1;
    }
    return Math.min(rows - 1, (long) (rows * Math.pow(eta * u - eta + 1, 1 / (1 - THETA))));
  }
}
