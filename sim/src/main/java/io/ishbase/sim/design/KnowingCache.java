package io.ishbase.sim.design;

import java.util.function.IntConsumer;

/** Reads by cells, through a cache that may know what will be asked for. */
final class KnowingCache implements Design {
  /** What it holds. */
  @FunctionalInterface
  interface Rows {
    /** Whether a row is there for the read that asks for it now; called once for each. */
    boolean asked(int row);
  }

  private final Data data;
  private final Rows rows;

  KnowingCache(Data data, Rows rows) {
    this.data = data;
    this.rows = rows;
  }

  @Override
  public boolean goesOn(Read read) {
    if (read.hasArrived()) {
      read.done = read.rows();
      return false;
    }
    int[] missing = {0};
    forEachRow(
        data, read.isGet(), read.key(), read.rows(), row -> missing[0] += rows.asked(row) ? 0 : 1);
    if (missing[0] == 0) {
      read.done = read.rows();
      return false;
    }
    long bytes = (long) missing[0] * data.cellBytes();
    return read.fetchCells(read.key(), read.rows(), missing[0], bytes);
  }

  /** The rows of a read that it is given. */
  static void forEachRow(Data data, boolean isGet, int key, int rows, IntConsumer use) {
    for (int row = key; row < key + rows; row++) {
      if (isGet || data.passes(row)) {
        use.accept(row);
      }
    }
  }

  @Override
  public void flushed(int[] keys, int count) {
    // Rows have moved to other files, not out of the cache.
  }
}
