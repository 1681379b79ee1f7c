package io.ishbase.plugin.fuzz;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks whether what a thread tries comes to an end. If it does not, nothing can stop it: it is
 * said once, with the place at which the thread is, and then for good measure the process ends if
 * it is one of its own.
 */
final class Watchdog implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Thread watched = Thread.currentThread();
  private final Consumer<Throwable> hangs;
  private final Thread watching;
  private volatile long begun = System.nanoTime();
  private volatile boolean rests = true;

  /** {@code hangs} is told where. */
  Watchdog(Consumer<Throwable> hangs) {
    this.hangs = hangs;
    watching = new Thread(this::watch, "fuzz-watchdog");
    watching.setDaemon(true);
    watching.start();
  }

  /** The next input is about to be tried. */
  void begins() {
    begun = System.nanoTime();
    rests = false;
  }

  /** Nothing is tried until the next begins. */
  void rest() {
    rests = true;
  }

  private void watch() {
    try {
      while (rests || System.nanoTime() - begun < PATIENCE_NANOS) {
        // Looks now and then, whatever happens: it waits for nothing that could tell it.
        Thread.sleep(500);
      }
    } catch (InterruptedException e) {
      return;
    }
    Throwable where = new IllegalStateException("It is at");
    where.setStackTrace(watched.getStackTrace());
    hangs.accept(where);
    if (Fuzz.ownsProcess()) {
      Runtime.getRuntime().halt(1);
    }
  }

  @Override
  public void close() {
    watching.interrupt();
  }
}
