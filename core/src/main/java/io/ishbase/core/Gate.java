package io.ishbase.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides for one kind of read of one table by which route it goes: blocks over the network, as
 * HBase does, or cells from the storage nodes.
 *
 * <p>What counts is the time that reads take. Round trips, bandwidth, the load of storage nodes, a
 * warm block cache and the processor's own work are all in it, and nothing else need be known. But
 * a single read over the other route would tell little: on a line that is full it waits behind what
 * everybody asked for, and on one that is free it does not show how full it would become. So the
 * other route is measured by <em>trials</em>. All reads take it until none is under way over the
 * route in use; those that begin then meet only their like, and are its sample. With as many
 * readers as before, the route whose reads take less time is the one that does more of them.
 *
 * <ul>
 *   <li>A share of the time that reads take is set aside ({@link #TRIAL_SHARE}). When it has grown
 *       to what a trial is expected to cost, there is one. What it did cost is taken off.
 *   <li>When times on the route in use change by more than {@link #CHANGE} for several reads in a
 *       row, more than there are readers, the world has changed: there is a trial at once, on
 *       credit, and the other route is judged by that alone. The next change waits until the credit
 *       is paid back. A change that proves to be none, as where some reads hit a cache and others
 *       do not, makes the gate more patient.
 * </ul>
 *
 * A pure state machine. Safe for use by many threads.
 */
public final class Gate {
  /** The way of a read's cells to the region server. */
  public enum Route {
    /** HBase's own: HFile blocks, through the block cache. */
    BLOCK,
    /** Cells, from the daemons. */
    IN_STORAGE
  }

  static final double TRIAL_SHARE = 0.015;
  static final double CHANGE = 2;

  /** Measurements by which a route is judged for the first time, or after a change. */
  private static final int FIRST = 3;

  /** A trial's sample is one read of so many readers: a cache may make their times differ. */
  private static final int READERS_A_SAMPLE = 8;

  /** Reads in a row that must differ for the world to have changed, at first and at most. */
  private static final int MIN_PATIENCE = 6;

  private static final int MAX_PATIENCE = 1 << 10;

  /** Reads after which it is clear whether it had. */
  private static final int READS_TO_JUDGE_CHANGE = 40;

  /** Reads between two trials, even if they cost nothing. */
  private static final int MIN_INTERVAL = 20;

  /**
   * The other route is taken if it is faster by this factor: lest noise turns it back and forth.
   */
  private static final double MARGIN = 0.96;

  /**
   * Reads that may be passed over one after the other. Then those that seem to be under way over
   * the other route are forgotten: they have ended without a word.
   */
  private static final int MAX_MIXED_IN_A_ROW = 500;

  /** The same for a trial, by the readers that there are. */
  private static final int READS_OF_TRIAL = 6;

  /** A single read counts for no more than so many usual ones: pauses are not the route's. */
  private static final double MAX_OUTLIER = 16;

  /** By which one route is believed to be slower than the other. */
  private static final double MAX_RATIO = 200;

  private final Traffic block = new Traffic();
  private final Traffic inStorage = new Traffic();
  private Route route = Route.IN_STORAGE;
  private double creditNanos;

  /** Reads at a time, at most; forgotten slowly. */
  private double readers;

  private int readsSinceTrial;

  /** Reads of the next trial's sample, which is due at once; 0: when there is credit. */
  private int trialDue = FIRST;

  /** Null: there is no trial. */
  private @Nullable Trial trial;

  private int mixedInARow;
  private boolean hasChanged;
  private boolean lineChanged;
  private int patience = MIN_PATIENCE;
  private double meanBeforeChange;
  private int readsSinceChange;

  /**
   * A read's route.
   *
   * @param othersBefore reads over the other route that had begun before; negative if some were
   *     under way
   * @param inSample whether a trial is judged by it
   */
  public record Choice(Route route, long othersBefore, boolean inSample) {}

  /** The route that the next read is to take; to be given to {@link #observe} at its end. */
  public synchronized Choice choose() {
    int underWay = block.underWay + inStorage.underWay + 1;
    readers = Math.max(underWay, readers + (underWay - readers) / 100);
    if (trial == null && isTrialDue()) {
      trial = new Trial(Math.max(Math.max(1, trialDue), sampleOfReaders()));
      trialDue = 0;
      readsSinceTrial = 0;
    }
    Route chosen = trial == null ? route : other();
    Traffic others = traffic(opposite(chosen));
    boolean inSample = trial != null && trial.takes(others.underWay == 0, readers);
    traffic(chosen).begins();
    return new Choice(chosen, others.underWay > 0 ? -1 : others.begun, inSample);
  }

  private boolean isTrialDue() {
    return traffic(route).count >= FIRST
        && (trialDue > 0 || readsSinceTrial > MIN_INTERVAL && creditNanos >= expectedLossNanos());
  }

  private int sampleOfReaders() {
    return (int) (readers / READERS_A_SAMPLE);
  }

  private double expectedLossNanos() {
    double reads = readers + Math.max(1, sampleOfReaders());
    return reads * Math.max(0, traffic(other()).mean - traffic(route).mean);
  }

  /**
   * Takes note of a read.
   *
   * @param nanos time it took, divided by the size of its answer if reads of this kind differ
   */
  public synchronized void observe(Choice choice, double nanos) {
    Traffic taken = traffic(choice.route);
    taken.underWay = Math.max(0, taken.underWay - 1);
    boolean isMixed = choice.othersBefore != traffic(opposite(choice.route)).begun;
    if (trial != null || isMixed || choice.route != route) {
      payFor(nanos);
    }
    if (trial != null) {
      observeTrial(choice, nanos, trial);
    } else if (isMixed) {
      passOver();
    } else if (choice.route == route) {
      observeUsual(taken, nanos);
    }
  }

  /** Takes note of a read that ended otherwise: from a cache, or not at all. */
  public synchronized void forget(Choice choice) {
    Traffic taken = traffic(choice.route);
    taken.underWay = Math.max(0, taken.underWay - 1);
    if (trial != null && choice.inSample) {
      trial.sample--;
      endTrialIfOver(trial);
    }
  }

  private void payFor(double nanos) {
    Traffic usual = traffic(route);
    if (usual.count >= FIRST) {
      // A pause of a minute is nobody's price.
      double most = MAX_OUTLIER * Math.max(usual.mean, traffic(other()).mean);
      creditNanos -= Math.min(nanos, most) - usual.mean;
    }
  }

  private void passOver() {
    if (++mixedInARow > MAX_MIXED_IN_A_ROW) {
      forgetUnderWay();
    }
  }

  private void observeTrial(Choice choice, double nanos, Trial now) {
    now.reads++;
    if (choice.inSample && choice.route != route) {
      now.sampled++;
      now.sampledNanos += Math.min(nanos, MAX_RATIO * traffic(route).mean);
    }
    endTrialIfOver(now);
  }

  private void endTrialIfOver(Trial now) {
    if (now.sampled == now.sample) {
      trial = null;
      if (now.sample > 0) {
        // Trials are few: three of a kind are more than noise.
        Traffic tried = traffic(other());
        if (tried.add(now.sampledNanos / now.sample, now.sample) >= FIRST) {
          tried.startAgainFromRun();
        }
        judge();
      }
    } else if (now.reads > Math.max(MAX_MIXED_IN_A_ROW, READS_OF_TRIAL * readers)) {
      trial = null;
      forgetUnderWay();
    }
  }

  private void forgetUnderWay() {
    block.underWay = 0;
    inStorage.underWay = 0;
    readers = 0;
    mixedInARow = 0;
  }

  private void observeUsual(Traffic usual, double nanos) {
    mixedInARow = 0;
    readsSinceTrial++;
    creditNanos += TRIAL_SHARE * nanos;
    // What was saved up in a day shall not be spent in a minute.
    creditNanos = Math.min(creditNanos, 2 * Math.max(expectedLossNanos(), usual.mean));
    judgeLastChange(usual);
    int differed = usual.add(nanos, 1);
    // Hits of a cache come one after the other, as many as there are readers.
    boolean changes = differed >= Math.max(patience, readers);
    hasChanged |= changes;
    if ((hasChanged || lineChanged) && creditNanos >= 0) {
      meanBeforeChange = hasChanged ? usual.mean : 0;
      hasChanged = false;
      lineChanged = false;
      readsSinceChange = 0;
      usual.restart();
      traffic(other()).restart();
      trialDue = FIRST;
      return;
    }
    if (changes) {
      usual.startAgainFromRun();
    }
    if (changes || differed == 0) {
      judge();
    }
  }

  private void judge() {
    Traffic usual = traffic(route);
    Traffic tried = traffic(other());
    if (usual.count > 0 && tried.count > 0 && tried.mean < MARGIN * usual.mean) {
      route = other();
      creditNanos = 0;
    }
  }

  private void judgeLastChange(Traffic now) {
    if (meanBeforeChange > 0 && ++readsSinceChange == READS_TO_JUDGE_CHANGE) {
      boolean wasNone =
          now.mean < CHANGE * meanBeforeChange && now.mean > meanBeforeChange / CHANGE;
      patience = wasNone ? Math.min(2 * patience, MAX_PATIENCE) : MIN_PATIENCE;
      meanBeforeChange = 0;
    }
  }

  /** Says that the world may have changed for one route or both: there is to be a trial soon. */
  public synchronized void lineChanged() {
    lineChanged = true;
  }

  /** The route in use. */
  public synchronized Route route() {
    return route;
  }

  /** Mean time of a read over a route as far as it is known, in nanoseconds; 0 if it is not. */
  public synchronized double meanNanos(Route of) {
    return traffic(of).mean;
  }

  private Route other() {
    return opposite(route);
  }

  private static Route opposite(Route of) {
    return of == Route.BLOCK ? Route.IN_STORAGE : Route.BLOCK;
  }

  private Traffic traffic(Route of) {
    return of == Route.BLOCK ? block : inStorage;
  }

  /** One trial of the route that is not in use. */
  private static final class Trial {
    private int sample;
    private int begun;
    private int taken;
    private int sampled;
    private double sampledNanos;
    private int reads;

    Trial(int sample) {
      this.sample = sample;
    }

    /**
     * Whether the read that begins now is of the sample: nothing is under way over the other route,
     * or but what seems to stay there, as a scan whose client takes its time.
     */
    boolean takes(boolean alone, double readers) {
      boolean takes = taken < sample && (alone || begun > MIN_INTERVAL + 2 * readers);
      begun++;
      if (takes) {
        taken++;
      }
      return takes;
    }
  }

  /** The reads over a route, and the mean of their times in the recent past. */
  private static final class Traffic {
    private static final int MEMORY = 100;

    private long begun;
    private int underWay;
    private double mean;
    private int count;
    private int higherInARow;
    private int lowerInARow;
    private double sumInARow;

    void begins() {
      begun++;
      underWay++;
    }

    /**
     * Adds a measurement, the mean of {@code reads} reads. Returns how many in a row were much
     * higher, or much lower, than usual.
     */
    int add(double nanos, int reads) {
      boolean higher = count > 0 && nanos > CHANGE * mean;
      boolean lower = count > 0 && nanos < mean / CHANGE;
      boolean goesOn = higher && higherInARow > 0 || lower && lowerInARow > 0;
      sumInARow = goesOn ? sumInARow + nanos : nanos;
      higherInARow = higher ? higherInARow + 1 : 0;
      lowerInARow = lower ? lowerInARow + 1 : 0;
      double bounded = count < FIRST ? nanos : Math.min(nanos, MAX_OUTLIER * mean);
      count = Math.min(count + reads, MEMORY);
      mean += (bounded - mean) * Math.min(reads, count) / count;
      return Math.max(higherInARow, lowerInARow);
    }

    /** Forgets all but the measurements that differed in a row. */
    void startAgainFromRun() {
      count = Math.max(higherInARow, lowerInARow);
      mean = sumInARow / count;
      higherInARow = 0;
      lowerInARow = 0;
    }

    void restart() {
      count = 0;
      higherInARow = 0;
      lowerInARow = 0;
    }
  }
}
