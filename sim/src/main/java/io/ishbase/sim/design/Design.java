package io.ishbase.sim.design;

/**
 * What a region server does for reads: what it has cached and what it fetches. Told what happens,
 * it answers what to do next; of time it knows what {@link RegionServer} says.
 */
public interface Design {
  /**
   * Takes in what the read has fetched, if it has, and goes on with it.
   *
   * @return whether it needs a fetch, which it then describes; else it is answered
   */
  boolean goesOn(Read read);

  /** The memstore was flushed; the newest versions of these rows lie in a new file now. */
  void flushed(int[] keys, int count);

  /** Partial blocks that became complete so far, or stretches that were fetched for a row. */
  default long upgrades() {
    return 0;
  }

  /** Complete blocks that became partial so far. */
  default long downgrades() {
    return 0;
  }
}
