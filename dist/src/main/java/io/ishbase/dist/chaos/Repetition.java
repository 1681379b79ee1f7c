package io.ishbase.dist.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Something that is done again and again, by a thread of its own, until it is closed. */
final class Repetition implements Closeable {
  /** Lets time pass; less of it when the end has come. */
  interface Pause {
    void of(Duration time) throws InterruptedException;
  }

  /** What is done once. */
  interface Step {
    void run(Pause pause) throws IOException, InterruptedException;
  }

  private final CountDownLatch isOver = new CountDownLatch(1);
  private final Thread thread;
  private final Closeable atEnd;

  private Repetition(String name, Step step, Closeable atEnd) {
    this.atEnd = atEnd;
    thread = new Thread(() -> repeat(step), name);
    thread.setDaemon(true);
  }

  /**
   * Begins.
   *
   * @param step an exception ends it
   * @param atEnd closed behind the last step, whatever ended it
   */
  static Repetition of(String name, Step step, Closeable atEnd) {
    Repetition repetition = new Repetition(name, step, atEnd);
    repetition.thread.start();
    return repetition;
  }

  private void repeat(Step step) {
    try {
      while (isOver.getCount() > 0) {
        step.run(time -> isOver.await(time.toNanos(), TimeUnit.NANOSECONDS));
      }
    } catch (IOException e) {
      // Its process has ended.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    isOver.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    atEnd.close();
  }
}
