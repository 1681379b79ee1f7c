package io.ishbase.core.compaction;

/**
 * How many compaction servers a load needs. After Ahmad and Kemme, "Compaction management in
 * distributed key-value datastores", PVLDB 8(8), 2015, section 6.3.
 *
 * @param compactBytesPerSecond how fast a server compacts
 * @param transferBytesPerSecond how fast the new file goes back to the region server's cache; 0: it
 *     does not
 * @param memoryBytes a server's memory for the files it works on
 * @param compactionBytes a compaction's mean size
 * @param intervalSeconds the time in which a region has {@code compactionsPerInterval} compactions
 * @param compactionsPerInterval of each region
 * @param regions of the data set
 */
public record Sizing(
    double compactBytesPerSecond,
    double transferBytesPerSecond,
    double memoryBytes,
    double compactionBytes,
    double intervalSeconds,
    double compactionsPerInterval,
    int regions) {

  /**
   * Checks the figures.
   *
   * @throws IllegalArgumentException if one is not positive
   */
  public Sizing {
    positive("compaction speed", compactBytesPerSecond);
    positive("memory", memoryBytes);
    positive("compaction size", compactionBytes);
    positive("interval", intervalSeconds);
    positive("compactions per interval", compactionsPerInterval);
    positive("regions", regions);
    if (transferBytesPerSecond < 0) {
      throw new IllegalArgumentException("transfer speed must not be negative");
    }
  }

  private static void positive(String name, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(name + " must be positive, not " + value);
    }
  }

  /** Duration of one compaction: D = b/c + b/w. */
  public double compactionSeconds() {
    return compactionBytes / compactBytesPerSecond
        + (transferBytesPerSecond == 0 ? 0 : compactionBytes / transferBytesPerSecond);
  }

  /** Compactions that a server carries out at once: l = ⌊m/b⌋. */
  public long compactionsAtOnce() {
    return (long) (memoryBytes / compactionBytes);
  }

  /**
   * Compactions that a server carries out in an interval: h = t/D·l. One that the interval's end
   * cuts counts in part: the next interval has the rest of it.
   */
  public double compactionsPerServer() {
    return intervalSeconds / compactionSeconds() * compactionsAtOnce();
  }

  /** Regions that one server can serve: ⌊h/T⌋. */
  public long regionsPerServer() {
    return (long) (compactionsPerServer() / compactionsPerInterval);
  }

  /**
   * Servers that are needed: C = ⌈R/⌊h/T⌋⌉.
   *
   * @throws IllegalArgumentException if no number of such servers is enough; the message says why
   */
  public long servers() {
    if (compactionsAtOnce() == 0) {
      throw new IllegalArgumentException(
          "A compaction of the given size does not fit into a server's memory");
    }
    if (regionsPerServer() == 0) {
      throw new IllegalArgumentException(
          "A server cannot keep up with one region: a compaction takes "
              + Math.round(compactionSeconds())
              + " s");
    }
    return 1 + (regions - 1) / regionsPerServer();
  }
}
