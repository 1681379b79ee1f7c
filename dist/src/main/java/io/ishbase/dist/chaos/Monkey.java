package io.ishbase.dist.chaos;

import io.ishbase.cluster.Progress;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Lets one thing after the other go wrong, and ends when all is mended. For one thread. */
final class Monkey {
  private static final long MOST_CALM_MILLIS = 1_500;
  private static final long LEAST_MILLIS = 100;
  private static final long MOST_MILLIS = 4_000;

  private final List<Fault> faults;
  private final Random random;
  private final Progress progress;
  private final Consumer<String> log;
  private final SortedMap<String, Integer> struck = new TreeMap<>();
  private final Runnable supervision;

  /**
   * @param progress is told of the seconds that have passed
   * @param log takes a line for each beginning and end
   * @param cluster whose servers are started again where HBase ends them itself, as it does where
   *     it cannot write its log
   */
  Monkey(
      List<Fault> faults,
      long seed,
      Progress progress,
      Consumer<String> log,
      LocalCluster cluster,
      ClusterOptions options) {
    this.supervision =
        cluster.supervise(
            options,
            (server, why) -> {
              log.accept("  " + server + " ended by itself and is started again: " + why);
              struck.merge("HBase ends " + server, 1, Integer::sum);
            });
    this.faults = List.copyOf(faults);
    this.random = new Random(seed);
    this.progress = progress;
    this.log = log;
  }

  /**
   * Works for so long, then waits until the last fault is mended. Each fault is chosen once before
   * any is chosen again.
   *
   * @param isOver ends it before
   * @throws IOException if something did not come back
   */
  void run(Duration time, CountDownLatch isOver) throws IOException {
    long begin = System.nanoTime();
    List<Fault> next = List.of();
    int chosen = 0;
    long seconds = 0;
    try {
      while (System.nanoTime() - begin < time.toNanos()) {
        if (isOver.await(random.nextLong(MOST_CALM_MILLIS), TimeUnit.MILLISECONDS)) {
          return;
        }
        if (chosen == next.size()) {
          next = shuffled();
          chosen = 0;
        }
        supervision.run();
        progress.note(next.get(chosen).what());
        strike(next.get(chosen++), isOver);
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        progress.add(now - seconds);
        seconds = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Fault> shuffled() {
    List<Fault> all = new ArrayList<>(faults);
    Collections.shuffle(all, random);
    return all;
  }

  private void strike(Fault fault, CountDownLatch isOver) throws IOException, InterruptedException {
    log.accept(fault.what());
    Fault.Mending mending = fault.strike();
    try {
      if (!mending.details().isEmpty()) {
        log.accept("  " + mending.details());
      }
      // Short ones are many, long ones few.
      double exponent = random.nextDouble();
      long millis = (long) (LEAST_MILLIS * Math.pow((double) MOST_MILLIS / LEAST_MILLIS, exponent));
      boolean ended = isOver.await(millis, TimeUnit.MILLISECONDS);
      log.accept("  mended after " + millis + " ms" + (ended ? ", at the end" : ""));
    } finally {
      mending.mend();
    }
    log.accept("  all is as before");
    struck.merge(fault.what(), 1, Integer::sum);
  }

  /** How often each fault struck. */
  Map<String, Integer> struck() {
    return struck;
  }
}
