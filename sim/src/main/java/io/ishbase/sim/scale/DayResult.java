package io.ishbase.sim.scale;

import java.util.List;

/**
 * What a day of a cluster gave.
 *
 * @param steps of ten minutes
 * @param homesAlone reads of the busiest storage node as a multiple of the mean, if all go to the
 *     home and homes are chosen by hash alone, at the beginning
 * @param homesByLoad the same at the end, with homes by hash and load
 * @param asked the same at the beginning, if of the holders the least loaded is asked
 * @param oneRack regions all of whose files lie in one rack
 * @param flushes of memstores
 * @param compactions of all sizes
 * @param atHome those that found no worker in time
 * @param blockedSeconds in which a store took no Put, the sum over stores
 * @param questions to the manager
 * @param questionNanos a question's mean time, by the clock that was given
 * @param events of the event loop
 */
public record DayResult(
    Setup setup,
    List<Step> steps,
    double homesAlone,
    double homesByLoad,
    double asked,
    long oneRack,
    long flushes,
    long compactions,
    long atHome,
    double blockedSeconds,
    long questions,
    double questionNanos,
    long events) {
  static final String RACK = "a rack is dead";
  static final String BULK_LOAD = "bulk load";
  static final String RESTART = "region servers restart";

  /**
   * Ten minutes.
   *
   * @param incident what goes on, with commas between; empty: nothing
   * @param demanded Gets a second that clients want
   * @param servedToday of them, those that the machines do, reading by blocks
   * @param servedWith the same in-storage
   * @param carriedToday Gets a second at which the first machine is all busy, reading by blocks
   * @param carriedWith the same in-storage
   * @param bytesToday a second over the line for reads
   * @param bytesWith the same in-storage
   * @param busiest storage node's processors, part that is busy
   * @param lost regions none of whose holders lives
   * @param p99WaitSeconds of compactions that found a worker or went home
   */
  public record Step(
      String incident,
      double demanded,
      double servedToday,
      double servedWith,
      double carriedToday,
      double carriedWith,
      double bytesToday,
      double bytesWith,
      double busiest,
      long lost,
      double p99WaitSeconds,
      long compactions,
      long atHome) {
    /** Whether that goes on; if it is empty, whether nothing does. */
    boolean has(String what) {
      return what.isEmpty() ? incident.isEmpty() : incident.contains(what);
    }
  }
}
