package io.ishbase.sim.workload;

import java.util.SplittableRandom;

/**
 * Which row was inserted last. The data keep their size: a new row takes the place of the oldest,
 * as if that had expired.
 */
final class Inserts {
  private final int keys;
  private final boolean scattered;

  /** A prime by which ranks are scattered over keys. */
  private final long scatter;

  private final int[] shuffled;
  private int last;

  Inserts(Parameters parameters, int keys) {
    this.keys = keys;
    scattered = parameters.is("zipf.place", "scattered");
    scatter = (long) parameters.number("zipf.scatter");
    shuffled = parameters.is("zipf.place", "shuffled") ? shuffled(keys) : new int[0];
    last = keys - 1;
  }

  /** Keys in an order that depends on their number alone. */
  private static int[] shuffled(int keys) {
    SplittableRandom random = new SplittableRandom(keys);
    int[] order = new int[keys];
    for (int i = 0; i < keys; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  /** Inserts a row and returns it. */
  int insert() {
    last = last + 1 == keys ? 0 : last + 1;
    return place(last);
  }

  /** The row that was inserted so many before the last one. */
  int before(long rank) {
    return place(last >= rank ? last - rank : last - rank + keys);
  }

  /** Where the row of a rank lies among all. */
  int place(long rank) {
    if (shuffled.length > 0) {
      return shuffled[(int) rank];
    }
    return (int) (scattered ? rank * scatter % keys : rank);
  }
}
