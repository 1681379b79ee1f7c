package io.ishbase.protocol;

import java.lang.Thread.UncaughtExceptionHandler;

/**
 * A periodic task that goes on after it has failed. An executor would not run it again, nor say so.
 * What it throws goes to the thread's handler of uncaught exceptions, as any thread's does.
 */
public final class Recurring implements Runnable {
  private final Runnable task;

  public Recurring(Runnable task) {
    this.task = task;
  }

  @Override
  public void run() {
    try {
      task.run();
    } catch (RuntimeException | Error failure) {
      Thread thread = Thread.currentThread();
      UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
      handler.uncaughtException(thread, failure);
    }
  }
}
