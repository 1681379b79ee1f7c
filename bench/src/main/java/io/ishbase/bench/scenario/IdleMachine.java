package io.ishbase.bench.scenario;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until what servers do of themselves after much writing is over: compilers, collectors. */
final class IdleMachine {
  /** Above this compactions at storage nodes make way. */
  private static final double IDLE_SHARE = 0.2;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int LOOKS_IDLE = 4;
  private static final int MOST_LOOKS = 60;

  private IdleMachine() {}

  /**
   * Returns once all processors together have been below a fifth for two seconds.
   *
   * @return false if they were not within half a minute
   */
  static boolean await() {
    var machine =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    machine.getCpuLoad();
    int idle = 0;
    for (int look = 0; look < MOST_LOOKS && idle < LOOKS_IDLE; look++) {
      long end = System.nanoTime() + LOOK_NANOS;
      for (long left = LOOK_NANOS; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      idle = machine.getCpuLoad() < IDLE_SHARE ? idle + 1 : 0;
    }
    return idle == LOOKS_IDLE;
  }
}
