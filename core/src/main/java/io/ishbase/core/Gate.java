package io.ishbase.core;

import java.util.concurrent.atomic.AtomicInteger;
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
 *       row, more than there are readers and more by far than did before, the world has changed:
 *       there is a trial at once, on credit, and the other route is judged by that alone. The next
 *       change waits until the credit is paid back.
 *   <li>Where a cache has some of the reads and others take a hundred times as long, three hits in
 *       a row say little. So a route is left if the other one's mean is less by more than the
 *       standard error of both; and means are over as many reads as it takes to know them.
 *   <li>What is known of a route when it is left soon counts for less than its trials since. One
 *       that is left after a few reads has a second trial soon, on credit, and is judged by that
 *       alone: they may have met what was cold, or a line still full of blocks.
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

  /** Reads in a row that must differ for the world to have changed, at least. */
  private static final int MIN_PATIENCE = 6;

  /** And at least by so much more than there were before. */
  private static final double LONGER_RUN = 3;

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

  /**
   * A single read counts for no more than so many of the usual ones, or of the longest that there
   * were of late: pauses are not the route's, but what a cache misses now and then is.
   */
  private static final double MAX_OUTLIER = 16;

  /** Standard errors by which one mean is to be below the other. */
  private static final double SIGNIFICANT = 1;

  /** What a route's reads count for when it is left, in reads of trials. */
  private static final int KEPT = 10;

  /** A route that is left after fewer reads has a second trial, after so many over the other. */
  private static final int FEW = 50;

  /** By which one route is believed to be slower than the other. */
  private static final double MAX_RATIO = 200;

  /** In-storage reads of the process before routes are judged. */
  private final AtomicInteger cold;

  private final Traffic block = new Traffic();
  private final Traffic inStorage = new Traffic();
  private Route route = Route.IN_STORAGE;
  private double creditNanos;

  /** Reads at a time, at most; forgotten slowly. */
  private double readers;

  private int readsSinceTrial;

  /** Reads until the route that was left has its second trial; 0: it has none. */
  private int untilSecondTrial;

  private boolean isSecond;

  /** Reads of the next trial's sample, which is due at once; 0: when there is credit. */
  private int trialDue = FIRST;

  /** Null: there is no trial. */
  private @Nullable Trial trial;

  private int mixedInARow;
  private boolean hasChanged;

  /** What was under way over a route that was left is no trial's price. */
  private boolean isSettling;

  private boolean lineChanged;

  /** Judges from the first read on. */
  public Gate() {
    this(new AtomicInteger());
  }

  /**
   * @param cold in-storage reads before the first trial, of all gates that share it
   */
  Gate(AtomicInteger cold) {
    this.cold = cold;
  }

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
      isSettling = isSecond;
      isSecond = false;
    }
    Route chosen = trial == null ? route : other();
    Traffic others = traffic(opposite(chosen));
    boolean inSample = trial != null && trial.takes(others.underWay == 0, readers);
    traffic(chosen).begins();
    return new Choice(chosen, others.underWay > 0 ? -1 : others.begun, inSample);
  }

  private boolean isTrialDue() {
    return cold.get() <= 0
        && traffic(route).count >= FIRST
        && (trialDue > 0 || readsSinceTrial > MIN_INTERVAL && creditNanos >= expectedLossNanos());
  }

  private int sampleOfReaders() {
    return (int) (readers / READERS_A_SAMPLE);
  }

  private double expectedLossNanos() {
    double reads = readers + Math.max(1, sampleOfReaders());
    double usual = traffic(route).mean;
    // Its first reads may have hung for minutes: it would never be tried again.
    double tried = Math.min(traffic(other()).mean, MAX_RATIO * usual);
    return reads * Math.max(0, tried - usual);
  }

  /**
   * Takes note of a read.
   *
   * @param took nanoseconds, divided by the size of its answer if reads of this kind differ
   */
  public synchronized void observe(Choice choice, double took) {
    // A clock may stand still: of a mean of nothing, all bounds would be nothing.
    double nanos = Math.max(1, took);
    Traffic taken = traffic(choice.route);
    taken.underWay = Math.max(0, taken.underWay - 1);
    if (choice.route == Route.IN_STORAGE && cold.get() > 0) {
      cold.decrementAndGet();
    }
    boolean isMixed = choice.othersBefore != traffic(opposite(choice.route)).begun;
    boolean isUsual = trial == null && !isMixed && choice.route == route;
    isSettling &= !isUsual;
    if (!isUsual && !isSettling) {
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
      double most = Math.max(usual.mostCounted(), traffic(other()).mostCounted());
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
      double counted = Math.min(nanos, MAX_RATIO * traffic(route).mean);
      now.sampled++;
      now.nanos += counted;
      now.squares += counted * counted;
    }
    endTrialIfOver(now);
  }

  private void endTrialIfOver(Trial now) {
    if (now.sampled == now.sample) {
      trial = null;
      if (now.sample > 0) {
        // Trials are few: three of a kind are more than noise, if there never were as many.
        Traffic tried = traffic(other());
        if (tried.add(now.nanos, now.squares, now.sample) >= FIRST && tried.isRunUnusual()) {
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
    if (untilSecondTrial > 0 && --untilSecondTrial == 0) {
      traffic(other()).restart();
      trialDue = 1;
      isSecond = true;
    }
    int differed = usual.add(nanos, nanos * nanos, 1);
    // Hits of a cache come one after the other, as many as there are readers.
    boolean changes = differed >= Math.max(MIN_PATIENCE, readers) && usual.isRunUnusual();
    hasChanged |= changes;
    if ((hasChanged || lineChanged) && creditNanos >= 0) {
      hasChanged = false;
      lineChanged = false;
      usual.restart();
      traffic(other()).restart();
      trialDue = FIRST;
      untilSecondTrial = FEW;
      return;
    }
    if (changes) {
      usual.startAgainFromRun();
    }
    judge();
  }

  private void judge() {
    Traffic usual = traffic(route);
    Traffic tried = traffic(other());
    if (usual.count == 0 || tried.count == 0) {
      return;
    }
    double saves = MARGIN * usual.mean - tried.mean;
    double error = Math.sqrt(usual.squaredError(tried) + tried.squaredError(usual));
    if (saves > SIGNIFICANT * error) {
      untilSecondTrial = usual.count < FEW ? FEW : 0;
      isSettling = true;
      usual.count = Math.min(usual.count, KEPT);
      route = other();
      creditNanos = 0;
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
    private double nanos;
    private double squares;
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

  /** The reads over a route, and the mean and variance of their times in the recent past. */
  private static final class Traffic {
    private static final int MIN_MEMORY = 100;
    private static final int MAX_MEMORY = 4000;

    /** Reads by which the longest time of late is forgotten, by a factor of e. */
    private static final double MEMORY_OF_LONGEST = 1000;

    /** The same for the longest runs of measurements that differ. */
    private static final double MEMORY_OF_RUNS = 5000;

    private long begun;
    private int underWay;
    private double mean;
    private double variance;
    private double longest;
    private int count;

    private int higherInARow;
    private int lowerInARow;
    private double longestHigher;
    private double longestLower;
    private int readsInARow;
    private double sumInARow;
    private double squaresInARow;

    void begins() {
      begun++;
      underWay++;
    }

    /** What a single read may count for. */
    double mostCounted() {
      return MAX_OUTLIER * Math.max(mean, longest);
    }

    /**
     * Adds a measurement: sum and sum of squares of the times of {@code reads} reads. Returns how
     * many in a row were much higher, or much lower, than usual.
     */
    int add(double sum, double squares, int reads) {
      double nanos = sum / reads;
      boolean higher = count > 0 && nanos > CHANGE * mean;
      boolean lower = count > 0 && nanos < mean / CHANGE;
      boolean goesOn = higher && higherInARow > 0 || lower && lowerInARow > 0;
      readsInARow = goesOn ? readsInARow + reads : reads;
      sumInARow = goesOn ? sumInARow + sum : sum;
      squaresInARow = goesOn ? squaresInARow + squares : squares;
      if (!goesOn) {
        endRuns();
      }
      higherInARow = higher ? higherInARow + 1 : 0;
      lowerInARow = lower ? lowerInARow + 1 : 0;
      double bounded = count < FIRST ? nanos : Math.min(nanos, mostCounted());
      longest = Math.max(bounded, longest * (1 - reads / (reads + MEMORY_OF_LONGEST)));
      count = Math.min(count + reads, memory());
      double share = Math.min(1, (double) reads / count);
      double difference = bounded - mean;
      double within = Math.max(0, squares / reads - nanos * nanos);
      mean += share * difference;
      variance = (1 - share) * (variance + share * difference * difference) + share * within;
      return Math.max(higherInARow, lowerInARow);
    }

    /** As many reads as it takes to know the mean to a tenth. */
    private int memory() {
      double reads = mean > 0 ? MIN_MEMORY * variance / (mean * mean) : 0;
      return (int) Math.max(MIN_MEMORY, Math.min(reads, MAX_MEMORY));
    }

    /** Whether more differ in a row than did before, by much: a cache has runs of hits, too. */
    boolean isRunUnusual() {
      return higherInARow > LONGER_RUN * longestHigher || lowerInARow > LONGER_RUN * longestLower;
    }

    private void endRuns() {
      double kept = 1 - 1 / MEMORY_OF_RUNS;
      longestHigher = Math.max(higherInARow, longestHigher * kept);
      longestLower = Math.max(lowerInARow, longestLower * kept);
      higherInARow = 0;
      lowerInARow = 0;
    }

    /**
     * The square of the mean's standard error. Few reads say little of how they differ: {@code
     * other} helps, as if there had been some with its variance.
     */
    double squaredError(Traffic other) {
      return (FIRST * other.variance + count * variance) / (FIRST + count) / count;
    }

    /** Forgets all but the measurements that differed in a row. */
    void startAgainFromRun() {
      count = readsInARow;
      mean = sumInARow / count;
      variance = Math.max(0, squaresInARow / count - mean * mean);
      endRuns();
    }

    void restart() {
      count = 0;
      variance = 0;
      endRuns();
    }
  }
}
