package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Fetches;
import java.util.Arrays;
import java.util.List;

/**
 * How much of one cache each table gets: piece by piece, each to the table that it spares the most
 * bytes. A cache that all tables share and that keeps what is asked for most comes close to it.
 */
final class CacheShares {
  private static final int PIECES = 64;

  private CacheShares() {}

  /**
   * Of each table, the part of its bytes that is cached.
   *
   * @param bytes of the caches of all region servers together
   */
  static double[] of(
      Side side, Values values, List<Inputs.Table> tables, List<TableCurves> curves, double bytes) {
    double[] shares = new double[tables.size()];
    if (tables.size() == 1) {
      shares[0] = bytes / values.openBytes(tables.get(0));
      return shares;
    }
    double[] costs = new double[shares.length];
    double[] next = new double[shares.length];
    Arrays.fill(next, Double.NaN);
    for (int table = 0; table < shares.length; table++) {
      costs[table] = cost(side, values, tables.get(table), curves.get(table), 0);
    }
    for (int piece = 0; piece < PIECES; piece++) {
      int best = 0;
      for (int table = 0; table < shares.length; table++) {
        if (Double.isNaN(next[table])) {
          double more = bytes / PIECES / values.openBytes(tables.get(table));
          next[table] =
              cost(side, values, tables.get(table), curves.get(table), shares[table] + more);
        }
        if (costs[table] - next[table] > costs[best] - next[best]) {
          best = table;
        }
      }
      shares[best] += bytes / PIECES / values.openBytes(tables.get(best));
      costs[best] = next[best];
      next[best] = Double.NaN;
    }
    return shares;
  }

  private static double cost(
      Side side, Values values, Inputs.Table table, TableCurves curves, double share) {
    Fetches fetches = curves.at(side, values.of(table, "skew"), share);
    double row = values.of(table, "row.bytes");
    double ofGet = side == Side.TODAY ? Math.max(row, values.of(table, "block.bytes")) : row;
    return values.of(table, "gets") * fetches.ofGet() * ofGet
        + values.of(table, "scans") * fetches.scanBytes() / values.of(table, "unpacked");
  }
}
