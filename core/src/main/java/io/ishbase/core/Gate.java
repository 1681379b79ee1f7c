package io.ishbase.core;

/**
 * Decides for one kind of read of one table by which route it goes: blocks over the network, as
 * HBase does, or cells from the storage nodes.
 *
 * <p>What counts is the time that reads take. Round trips, bandwidth, the load of storage nodes, a
 * warm block cache and the processor's own work are all in it, and nothing else need be known. The
 * route in use is measured all the time, the other one by <em>probes</em>:
 *
 * <ul>
 *   <li>A share of the time that reads take is set aside ({@link #PROBE_SHARE}). When it has grown
 *       to what a probe is expected to cost more than a read over the route in use, one is sent.
 *   <li>When times on the route in use change by more than {@link #CHANGE} for several reads in a
 *       row, the world has changed: the other route is probed at once, on credit, and judged by
 *       that alone. Until the credit is paid back no further change is believed. A change that
 *       proves to be none, as where some reads hit a cache and others do not, makes the gate more
 *       patient.
 *   <li>Blocks that are under way delay the few bytes of an in-storage read, so that by its time it
 *       looks no better than they. Only in-storage reads that no block read overlaps are judged;
 *       and where blocks are the route in use, a probe sends all reads over the daemons until some
 *       of them met no blocks any more.
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

  static final double PROBE_SHARE = 0.015;
  static final double CHANGE = 2;

  /** Measurements by which a route is judged for the first time, or after a change. */
  private static final int FIRST = 3;

  /** Reads in a row that must differ for the world to have changed, at first and at most. */
  private static final int MIN_PATIENCE = 6;

  private static final int MAX_PATIENCE = 1 << 10;

  /** Reads after which it is clear whether it had. */
  private static final int READS_TO_JUDGE_CHANGE = 40;

  /** Reads between two probes, even if they cost nothing. */
  private static final int MIN_INTERVAL = 20;

  /**
   * The other route is taken if it is faster by this factor: lest noise turns it back and forth.
   */
  private static final double MARGIN = 0.93;

  /** In-storage reads that may be passed over one after the other. */
  private static final int MAX_DELAYED_IN_A_ROW = 500;

  private final Estimate block = new Estimate();
  private final Estimate inStorage = new Estimate();
  private Route route = Route.IN_STORAGE;
  private double creditNanos;
  private int readsSinceProbe;
  private int probesDue = FIRST;
  private int patience = MIN_PATIENCE;
  private double meanBeforeChange;
  private int readsSinceChange;
  private long blocksBegun;
  private int blocksUnderWay;

  /** In-storage reads without a block under way that are still wanted; until then all go there. */
  private int clearedReadsDue;

  private int delayedInARow;

  /**
   * A read's route.
   *
   * @param blocksBefore block reads that had begun before; negative if some were under way
   */
  public record Choice(Route route, long blocksBefore) {}

  /** The route that the next read is to take; to be given to {@link #observe} at its end. */
  public synchronized Choice choose() {
    Route chosen = nextRoute();
    Choice choice = new Choice(chosen, blocksUnderWay > 0 ? -1 : blocksBegun);
    if (chosen == Route.BLOCK) {
      blocksBegun++;
      blocksUnderWay++;
    }
    return choice;
  }

  private Route nextRoute() {
    if (clearedReadsDue > 0) {
      creditNanos -= expectedLossNanos();
      return Route.IN_STORAGE;
    }
    if (of(route).count < FIRST) {
      return route;
    }
    if (probesDue > 0) {
      int due = probesDue;
      probesDue = route == Route.BLOCK ? 0 : probesDue - 1;
      return probe(due);
    }
    readsSinceProbe++;
    return readsSinceProbe > MIN_INTERVAL && creditNanos >= expectedLossNanos() ? probe(1) : route;
  }

  private Route probe(int reads) {
    readsSinceProbe = 0;
    creditNanos -= expectedLossNanos();
    if (route == Route.BLOCK) {
      clearedReadsDue = reads;
    }
    return other();
  }

  /**
   * Whether blocks may have delayed the read. If they seem to all the time, those under way are
   * forgotten: a scan may be open and idle, or have ended without a word.
   */
  private boolean wasDelayed(Choice choice) {
    if (choice.blocksBefore == blocksBegun) {
      delayedInARow = 0;
      return false;
    }
    if (++delayedInARow > MAX_DELAYED_IN_A_ROW) {
      blocksUnderWay = 0;
      delayedInARow = 0;
    }
    return true;
  }

  private double expectedLossNanos() {
    return Math.max(0, of(other()).mean - of(route).mean);
  }

  /**
   * Takes note of a read.
   *
   * @param nanos time it took, divided by the size of its answer if reads of this kind differ
   */
  public synchronized void observe(Choice choice, double nanos) {
    Route taken = choice.route;
    if (taken == Route.BLOCK) {
      blocksUnderWay = Math.max(0, blocksUnderWay - 1);
    } else if (wasDelayed(choice)) {
      return;
    } else if (clearedReadsDue > 0) {
      clearedReadsDue--;
    }
    Estimate estimate = of(taken);
    if (taken == route) {
      creditNanos += PROBE_SHARE * nanos;
      // What was saved up in a day shall not be spent in a minute.
      creditNanos = Math.min(creditNanos, 2 * Math.max(expectedLossNanos(), estimate.mean));
      judgeLastChange(estimate);
      if (estimate.add(nanos) >= patience && creditNanos >= 0) {
        meanBeforeChange = estimate.mean;
        readsSinceChange = 0;
        estimate.restart();
        of(other()).restart();
        probesDue = FIRST;
        return;
      }
    } else if (estimate.add(nanos) >= FIRST) {
      // Probes are few: three of a kind are more than noise.
      estimate.startAgainFromRun();
    }
    if (block.count >= FIRST
        && inStorage.count >= FIRST
        && of(other()).mean < MARGIN * of(route).mean) {
      route = other();
      creditNanos = 0;
    }
  }

  private void judgeLastChange(Estimate now) {
    if (meanBeforeChange > 0 && ++readsSinceChange == READS_TO_JUDGE_CHANGE) {
      boolean wasNone =
          now.mean < CHANGE * meanBeforeChange && now.mean > meanBeforeChange / CHANGE;
      patience = wasNone ? Math.min(2 * patience, MAX_PATIENCE) : MIN_PATIENCE;
      meanBeforeChange = 0;
    }
  }

  /** The route in use. */
  public synchronized Route route() {
    return route;
  }

  /** Mean time of a read over a route as far as it is known, in nanoseconds; 0 if it is not. */
  public synchronized double meanNanos(Route of) {
    return of(of).mean;
  }

  private Route other() {
    return route == Route.BLOCK ? Route.IN_STORAGE : Route.BLOCK;
  }

  private Estimate of(Route of) {
    return of == Route.BLOCK ? block : inStorage;
  }

  /** Mean time over a route, of the recent past. */
  private static final class Estimate {
    private static final int MEMORY = 100;

    /** A single read counts for no more than so many usual ones: pauses are not the route's. */
    private static final double MAX_OUTLIER = 16;

    private double mean;
    private int count;
    private int higherInARow;
    private int lowerInARow;
    private double sumInARow;

    /**
     * Adds a measurement. Returns how many in a row were much higher, or much lower, than usual.
     */
    int add(double nanos) {
      boolean higher = count > 0 && nanos > CHANGE * mean;
      boolean lower = count > 0 && nanos < mean / CHANGE;
      boolean goesOn = higher && higherInARow > 0 || lower && lowerInARow > 0;
      sumInARow = goesOn ? sumInARow + nanos : nanos;
      higherInARow = higher ? higherInARow + 1 : 0;
      lowerInARow = lower ? lowerInARow + 1 : 0;
      count = Math.min(count + 1, MEMORY);
      double bounded = count > FIRST ? Math.min(nanos, MAX_OUTLIER * mean) : nanos;
      mean += (bounded - mean) / count;
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
