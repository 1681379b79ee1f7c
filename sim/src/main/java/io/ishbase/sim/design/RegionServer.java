package io.ishbase.sim.design;

/** Where a design lives. */
public interface RegionServer {
  /** Nanoseconds since the run began. */
  long nanos();

  /** What the line to the storage node carries now, in megabits a second. */
  double mbps();

  /** Requests that have begun. */
  long requests();

  /**
   * Fetches rows for nobody. The line and the processors are used meanwhile.
   *
   * @param arrived what to do when they have come
   */
  void inBackground(int cells, long bytes, Runnable arrived);
}
