package io.ishbase.sim.workload;

/**
 * Which row was inserted last. The data keep their size: a new row takes the place of the oldest,
 * as if that had expired.
 */
final class Inserts {
  /** A prime by which ranks are scattered over keys. */
  private static final long SCATTER = 2_654_435_761L;

  private final int keys;
  private final boolean scattered;
  private int last;

  Inserts(Parameters parameters, int keys) {
    this.keys = keys;
    scattered = parameters.is("zipf.place", "scattered");
    last = keys - 1;
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
    return (int) (scattered ? rank * SCATTER % keys : rank);
  }
}
