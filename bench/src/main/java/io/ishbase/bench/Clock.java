package io.ishbase.bench;

import java.util.concurrent.locks.LockSupport;

/** Where a measurement takes its time from. */
public interface Clock {
  /** The machine's. */
  Clock SYSTEM =
      new Clock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void sleepUntil(long nanos) throws InterruptedException {
          for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
              throw new InterruptedException();
            }
          }
        }
      };

  /** Nanoseconds since some fixed time. */
  long nanos();

  /** Returns when {@link #nanos} has reached {@code nanos}. */
  void sleepUntil(long nanos) throws InterruptedException;
}
