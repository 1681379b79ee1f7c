package io.ishbase.bench;

import io.ishbase.cluster.Progress;
import java.io.Closeable;

/**
 * The time left of several scenarios, behind every progress bar. Estimates are corrected by how
 * long the scenarios before took.
 */
public final class OverallProgress implements Closeable {
  private double estimatedBefore;
  private double takenBefore;
  private double estimated;
  private double estimatedLater;
  private long startNanos;

  /**
   * Ends the scenario before, if there was one, and begins the next.
   *
   * @param name with its number
   * @param seconds it will take, by estimate
   * @param later seconds that those after it will take, by estimate
   */
  public synchronized void next(String name, double seconds, double later) {
    if (startNanos != 0) {
      estimatedBefore += estimated;
      takenBefore += taken();
    }
    estimated = seconds;
    estimatedLater = later;
    startNanos = System.nanoTime();
    System.err.println(name + ", in all about " + Progress.clock(left()) + " left");
    Progress.behindAll(() -> "; in all " + Progress.clock(left()) + " left");
  }

  private double taken() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private synchronized double left() {
    double correction = estimatedBefore == 0 ? 1 : takenBefore / estimatedBefore;
    return Math.max(0, estimated * correction - taken()) + estimatedLater * correction;
  }

  @Override
  public void close() {
    Progress.behindAll(() -> "");
  }
}
