package io.ishbase.sim.compaction;

import java.util.List;

/**
 * What came of a run.
 *
 * @param readMs milliseconds of a read in each second, the mean of all region servers
 * @param files of a store in each second, the mean of all
 * @param majors the major compactions that ended, in the order of their ends
 * @param overdue major compactions that fell due when the one before of the same region had not
 *     ended
 * @param longestWait seconds for which a major compaction waited at most, those that still wait
 *     among them
 * @param home how many compactions the region servers carried out themselves, minor ones too
 * @param blockedSeconds in which a flush waited because its store had too many files
 */
public record ClusterOutcome(
    List<Double> readMs,
    List<Double> files,
    List<Major> majors,
    int overdue,
    double longestWait,
    int home,
    int blockedSeconds) {
  /**
   * A major compaction, in seconds since the run began.
   *
   * @param begun by a server, or at home
   * @param ended it was committed
   * @param warm its new file had been transferred, if it was
   */
  public record Major(double begun, double ended, double warm) {}

  /** The mean of some seconds of a list. */
  public static double mean(List<Double> bySecond, int from, int to) {
    return bySecond.subList(from, Math.min(to, bySecond.size())).stream()
        .mapToDouble(Double::doubleValue)
        .average()
        .orElse(Double.NaN);
  }
}
