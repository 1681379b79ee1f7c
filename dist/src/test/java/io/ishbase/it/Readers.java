package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

/** Threads that read, and check what they read, while something else is done. */
final class Readers {
  private static final int WAIT_SECONDS = 120;

  /** What is done again and again, or meanwhile. */
  interface Action {
    void run() throws Exception;
  }

  private Readers() {}

  /**
   * Has so many threads read until {@code meanwhile} has run. Then nothing is held for them any
   * more.
   *
   * @param readings what the thread of that number reads
   */
  static void readDuring(
      MiniCluster cluster, int threads, IntFunction<Action> readings, Action meanwhile)
      throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<Long>> readers = new ArrayList<>();
    try {
      for (int i = 0; i < threads; i++) {
        Action reading = readings.apply(i);
        readers.add(
            executor.submit(
                () -> {
                  long rounds = 0;
                  do {
                    reading.run();
                    rounds++;
                  } while (!isOver.get());
                  return rounds;
                }));
      }
      meanwhile.run();
    } catch (Exception | AssertionError e) {
      // What a reader found may be the reason.
      isOver.set(true);
      for (Future<Long> reader : readers) {
        try {
          reader.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ofReader) {
          e.addSuppressed(ofReader);
        }
      }
      throw e;
    } finally {
      isOver.set(true);
      executor.shutdown();
    }
    for (Future<Long> reader : readers) {
      assertThat(reader.get(WAIT_SECONDS, TimeUnit.SECONDS)).isPositive();
    }
    cluster.awaitNothingHeld();
  }
}
