package io.ishbase.bench.scenario;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What happens to a cluster in a part of a window. */
interface Disturbance extends Closeable {
  /** Nothing does. */
  Disturbance NONE = () -> {};

  /** Makes it happen; returns as soon as it does. */
  void begin() throws IOException;

  /** Undoes it, whether it began or not, and waits until all is as before. */
  @Override
  default void close() throws IOException {}

  /** Something that is measured. */
  interface Measurement<T> {
    T run() throws IOException;
  }

  /**
   * Measures something that is disturbed from {@code delay} on to its end. The disturbance is
   * undone in any case.
   *
   * @throws IOException if it could not be made to happen, or undone, or the measurement failed
   */
  static <T> T during(Disturbance disturbance, Duration delay, Measurement<T> measurement)
      throws IOException {
    CountDownLatch over = new CountDownLatch(1);
    IOException[] failure = new IOException[1];
    Thread beginner =
        new Thread(
            () -> {
              try {
                if (!over.await(delay.toNanos(), TimeUnit.NANOSECONDS)) {
                  disturbance.begin();
                }
              } catch (InterruptedException e) {
                // Nobody interrupts it but a JVM that ends.
                Thread.currentThread().interrupt();
              } catch (IOException e) {
                failure[0] = e;
              }
            },
            "disturbance");
    beginner.setDaemon(true);
    T measured;
    try (disturbance) {
      beginner.start();
      try {
        measured = measurement.run();
      } finally {
        over.countDown();
        join(beginner);
      }
    }
    @Nullable IOException failed = failure[0];
    if (failed != null) {
      throw failed;
    }
    return measured;
  }

  /** Waits for a thread to end, however often this one is interrupted. */
  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
