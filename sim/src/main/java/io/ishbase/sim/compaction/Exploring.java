package io.ishbase.sim.compaction;

/**
 * Which files of a store HBase compacts by default: a model of its ExploringCompactionPolicy (2.6).
 * Without references, bulk loads and off-peak hours.
 *
 * @param minFiles of a compaction, 2 at least
 * @param minBytes a compaction of less needs no ratio
 * @param maxBytes of a compaction; older files that are larger are left out
 * @param ratio of a compaction's largest file to all its others at most
 * @param blockingFiles of a store that is full; with more its flushes wait
 */
public record Exploring(
    int minFiles, int maxFiles, long minBytes, long maxBytes, double ratio, int blockingFiles) {
  /** What a selection has to be better by, in files a byte, where the store might be stuck. */
  private static final double BETTER = 1.05;

  /** Neighbouring files, by their places from the oldest: from the first to before the last. */
  public record Span(int from, int to) {
    static final Span NONE = new Span(0, 0);

    public int files() {
      return to - from;
    }
  }

  /**
   * The files of the next minor compaction; none if it does not pay.
   *
   * @param bytes of each file, the oldest first
   * @param compacting files that compactions under way have
   * @param free the first file that is newer than all of those
   */
  public Span select(long[] bytes, int compacting, int free) {
    boolean isStuck = bytes.length - compacting + (compacting > 0 ? 1 : 0) >= blockingFiles;
    int first = free;
    while (first < bytes.length && bytes[first] > maxBytes) {
      first++;
    }
    Span best = Span.NONE;
    long bestBytes = 0;
    Span smallest = Span.NONE;
    long smallestBytes = Long.MAX_VALUE;
    for (int from = first; from + minFiles <= bytes.length; from++) {
      long sum = 0;
      long largest = 0;
      for (int to = from; to < Math.min(bytes.length, from + maxFiles); to++) {
        sum += bytes[to];
        largest = Math.max(largest, bytes[to]);
        Span span = new Span(from, to + 1);
        if (span.files() < minFiles) {
          continue;
        }
        if (sum < smallestBytes) {
          smallest = span;
          smallestBytes = sum;
        }
        // The largest is in the ratio if all are.
        boolean fits = sum < minBytes || largest <= (sum - largest) * ratio;
        if (sum <= maxBytes && fits && isBetter(span, sum, best, bestBytes, isStuck)) {
          best = span;
          bestBytes = sum;
        }
      }
    }
    return best.files() == 0 && isStuck ? smallest : best;
  }

  /** Whether flushes of a store with so many files wait for a compaction. */
  public boolean holdsBackFlushes(int files) {
    return files > blockingFiles;
  }

  private static boolean isBetter(
      Span span, long bytes, Span best, long bestBytes, boolean isStuck) {
    if (isStuck && bestBytes > 0 && bytes > 0) {
      return (double) best.files() / bestBytes * BETTER < (double) span.files() / bytes;
    }
    return span.files() > best.files() || span.files() == best.files() && bytes < bestBytes;
  }
}
