package io.ishbase.sim.plan;

import io.ishbase.sim.compaction.WorkerPool;
import io.ishbase.sim.engine.EventLoop;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;

/** How long compactions that come at random wait for a worker. */
final class CompactionWait {
  private static final int COMPACTIONS = 3_000;
  private static final int WARM_UP = 300;
  private static final double PRESSURE = 0.5;
  static final int MOST_SERVERS = 512;

  /**
   * Where so many wait and more comes than workers get done, it goes on until patience ends: nobody
   * need simulate that.
   */
  private static final int MOST_WAITING = 200;

  /** Compactions that begin at most, until those that count have found a worker or gone home. */
  private static final int MOST_BEGUN = 2 * (WARM_UP + COMPACTIONS);

  /** Compactions that are further apart do not meet either, and virtual time has an end. */
  private static final double MOST_APART_NANOS = 1e14;

  /** The same of a compaction that takes longer. */
  private static final double MOST_NANOS = 1e15;

  /**
   * What came out.
   *
   * @param p99Seconds within which 99 of 100 compactions had a worker or went home
   * @param homePart of them went home
   */
  record Outcome(double p99Seconds, double homePart) {
    /**
     * Whether hardly any loses its patience, and no store gets files meanwhile that block writes.
     */
    boolean isEnough(Values values, Compactions compactions) {
      double room = values.of("blocking.files") - values.of("compaction.files");
      // Without writes no store gets files, however few it may have.
      return homePart <= 0.01 && p99Seconds / compactions.flushSeconds() <= Math.max(0, room);
    }
  }

  private final EventLoop loop = new EventLoop();
  private final SplittableRandom random;
  private final Compactions compactions;
  private final WorkerPool workers;
  private final double aSecond;
  private final long mostBytes;
  private final long[] waits = new long[COMPACTIONS];
  private final double overload;
  private final double patienceSeconds;
  private int begun;
  private int decided;
  private int counted;
  private int home;

  private CompactionWait(Values values, Compactions compactions, int servers, long seed) {
    this.compactions = compactions;
    random = new SplittableRandom(seed);
    aSecond = compactions.aSecond();
    workers =
        new WorkerPool(
            loop, values.of("compaction.mb.s") * (1 << 20), patienceMillis(values), () -> 0);
    patienceSeconds = patienceMillis(values) / 1e3;
    double done =
        servers * Math.floor(values.of("worker.slots")) * values.of("compaction.mb.s") * (1 << 20);
    overload = compactions.bytesPerSecond() / done;
    mostBytes = (long) (values.of("compaction.mb.s") * (1 << 20) * (MOST_NANOS / 1e9));
    for (int i = 0; i < servers; i++) {
      workers.add("worker" + i, (int) values.of("worker.slots"));
    }
  }

  static Outcome of(Values values, Compactions compactions, int servers, long seed) {
    return new CompactionWait(values, compactions, servers, seed).run();
  }

  private static long patienceMillis(Values values) {
    return Math.round(values.of("patience.s") * 1e3);
  }

  /** How many servers are enough, up to {@value #MOST_SERVERS}; more: one more than that. */
  static int serversNeeded(Values values, Compactions compactions, long seed) {
    int tooFew = 0;
    int enough = 1;
    while (!isEnough(values, compactions, enough, seed)) {
      tooFew = enough;
      enough *= 2;
      if (enough > MOST_SERVERS) {
        return MOST_SERVERS + 1;
      }
    }
    while (enough - tooFew > 1) {
      int middle = (enough + tooFew) / 2;
      if (isEnough(values, compactions, middle, seed)) {
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    return enough;
  }

  private static boolean isEnough(Values values, Compactions compactions, int servers, long seed) {
    return of(values, compactions, servers, seed).isEnough(values, compactions);
  }

  private Outcome run() {
    double apart = Math.min(MOST_APART_NANOS, 1e9 / aSecond);
    EventLoop.Timer[] next = new EventLoop.Timer[1];
    next[0] =
        new EventLoop.Timer(
            () -> {
              workers.compact(draw(), Map.of(), PRESSURE, new OneCompaction(begun++));
              if (begun < MOST_BEGUN) {
                loop.in((long) (-StrictMath.log(1 - random.nextDouble()) * apart), next[0]);
              }
            });
    loop.in(0, next[0]);
    while (counted < COMPACTIONS) {
      loop.step();
      if (overload > 1 && begun - decided > MOST_WAITING) {
        return new Outcome(patienceSeconds, 1 - 1 / overload);
      }
    }
    Arrays.sort(waits);
    return new Outcome(waits[(int) (0.99 * COMPACTIONS)] / 1e9, (double) home / COMPACTIONS);
  }

  private long draw() {
    double at = random.nextDouble() * aSecond;
    for (Compactions.Kind kind : compactions.kinds()) {
      at -= kind.aSecond();
      if (at < 0) {
        return Math.min(mostBytes, (long) kind.bytes());
      }
    }
    return Math.min(mostBytes, (long) compactions.meanBytes());
  }

  private final class OneCompaction implements WorkerPool.Listener {
    private final int number;

    OneCompaction(int number) {
      this.number = number;
    }

    @Override
    public void begins(String worker, long waitedNanos) {
      count(waitedNanos, 0);
    }

    @Override
    public void goesHome(long waitedNanos) {
      count(waitedNanos, 1);
    }

    /** Those count that came first, however long they wait: those that end first wait least. */
    private void count(long waitedNanos, int atHome) {
      decided++;
      if (number >= WARM_UP && number < WARM_UP + COMPACTIONS) {
        waits[counted++] = waitedNanos;
        home += atHome;
      }
    }

    @Override
    public void ends() {
      // Nobody waits for the new file here.
    }
  }
}
