package io.ishbase.sim.plan;

import io.ishbase.core.compaction.Sizing;

/**
 * How many compaction servers there have to be.
 *
 * @param formula by {@link Sizing}; infinite: none is enough
 * @param atDaemons what happens without any, when the daemons of all storage nodes are the workers
 * @param atFormula what happens with as many as the formula says
 * @param files that a store gets while a compaction waits as long as 99 of 100 at most do, at the
 *     daemons
 */
record CompactionServers(
    double formula,
    CompactionWait.Outcome atDaemons,
    CompactionWait.Outcome atFormula,
    double files) {
  private static final double HOUR = 3_600;
  private static final int MOST = 10_000;

  static CompactionServers of(Inputs inputs, Values values, long seed) {
    Compactions compactions = Compactions.of(inputs, values);
    double formula = formula(inputs, values);
    int daemons = (int) values.of("storage.nodes");
    CompactionWait.Outcome atDaemons = CompactionWait.of(values, compactions, daemons, seed);
    int servers = (int) Math.max(1, Math.min(MOST, formula));
    return new CompactionServers(
        formula,
        atDaemons,
        CompactionWait.of(values, compactions, servers, seed),
        atDaemons.p99Seconds() / compactions.flushSeconds());
  }

  /** How many by the formula; infinite: none is enough. */
  static double formula(Inputs inputs, Values values) {
    try {
      return sizing(inputs, values, Compactions.of(inputs, values)).servers();
    } catch (IllegalArgumentException e) {
      return Double.POSITIVE_INFINITY;
    }
  }

  /** How many are enough by simulation. */
  static int needed(Inputs inputs, Values values, long seed) {
    return CompactionWait.serversNeeded(values, Compactions.of(inputs, values), seed);
  }

  /** The formula's figures: slots are memory for as many compactions of the mean size. */
  private static Sizing sizing(Inputs inputs, Values values, Compactions compactions) {
    double regions =
        inputs.tables().stream().mapToDouble(table -> values.of(table, "regions")).sum();
    return new Sizing(
        values.of("compaction.mb.s") * (1 << 20),
        0,
        (values.of("worker.slots") + 0.5) * compactions.meanBytes(),
        compactions.meanBytes(),
        HOUR,
        compactions.aSecond() * HOUR / regions,
        (int) regions);
  }
}
