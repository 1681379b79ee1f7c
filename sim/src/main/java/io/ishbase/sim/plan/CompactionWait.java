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
      return homePart <= 0.01 && p99Seconds <= Math.max(0, room) * compactions.flushSeconds();
    }
  }

  private final EventLoop loop = new EventLoop();
  private final SplittableRandom random;
  private final Compactions compactions;
  private final WorkerPool workers;
  private final double aSecond;
  private final long[] waits = new long[COMPACTIONS];
  private int begun;
  private int ended;
  private int counted;
  private int home;

  private CompactionWait(Values values, Compactions compactions, int servers, long seed) {
    this.compactions = compactions;
    random = new SplittableRandom(seed);
    aSecond = compactions.aSecond();
    workers =
        new WorkerPool(
            loop,
            values.of("compaction.mb.s") * (1 << 20),
            Math.round(values.of("patience.s") * 1e3),
            () -> 0);
    for (int i = 0; i < servers; i++) {
      workers.add("worker" + i, (int) values.of("worker.slots"));
    }
  }

  static Outcome of(Values values, Compactions compactions, int servers, long seed) {
    return new CompactionWait(values, compactions, servers, seed).run();
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
    EventLoop.Timer[] next = new EventLoop.Timer[1];
    next[0] =
        new EventLoop.Timer(
            () -> {
              workers.compact(draw(), Map.of(), PRESSURE, new OneCompaction(begun++));
              loop.in((long) (-StrictMath.log(1 - random.nextDouble()) * 1e9 / aSecond), next[0]);
            });
    loop.in(0, next[0]);
    while (ended < WARM_UP + COMPACTIONS) {
      loop.step();
    }
    Arrays.sort(waits, 0, counted);
    return new Outcome(
        waits[(int) (0.99 * counted)] / 1e9, (double) home / (WARM_UP + COMPACTIONS));
  }

  private long draw() {
    double at = random.nextDouble() * aSecond;
    for (Compactions.Kind kind : compactions.kinds()) {
      at -= kind.aSecond();
      if (at < 0) {
        return (long) kind.bytes();
      }
    }
    return (long) compactions.meanBytes();
  }

  private final class OneCompaction implements WorkerPool.Listener {
    private final int number;

    OneCompaction(int number) {
      this.number = number;
    }

    @Override
    public void begins(String worker, long waitedNanos) {
      count(waitedNanos);
    }

    @Override
    public void goesHome(long waitedNanos) {
      home++;
      count(waitedNanos);
    }

    private void count(long waitedNanos) {
      ended++;
      if (number >= WARM_UP && counted < COMPACTIONS) {
        waits[counted++] = waitedNanos;
      }
    }

    @Override
    public void ends() {
      // Nobody waits for the new file here.
    }
  }
}
