package io.ishbase.sim.miniature;

/**
 * A table and the reads that it gets.
 *
 * @param rows of all regions
 * @param rowBytes of a row in an HFile, its key included
 * @param blockBytes of an HFile's block
 * @param exponent of Zipf's law among rows; 0: all are alike
 * @param scattered whether popular rows lie anywhere; else side by side
 * @param gets a second, of the cluster
 * @param scans the same
 * @param scanRows of a scan
 */
public record TableLoad(
    double rows,
    int rowBytes,
    int blockBytes,
    double exponent,
    boolean scattered,
    double gets,
    double scans,
    int scanRows) {
  /** Bytes of all rows. */
  public double bytes() {
    return rows * rowBytes;
  }

  /** This, with another exponent. */
  public TableLoad withExponent(double other) {
    return new TableLoad(rows, rowBytes, blockBytes, other, scattered, gets, scans, scanRows);
  }
}
