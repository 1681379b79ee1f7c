package io.ishbase.daemon.compaction;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;

/**
 * The time by which HBase's code expires cells, which on a thread that compacts for a region server
 * is never later than there: what is dropped early here would be missing there.
 */
final class CallersClock implements EnvironmentEdge {
  private static final ThreadLocal<@Nullable Reading> CALLER = new ThreadLocal<>();

  private final EnvironmentEdge own;

  private CallersClock(EnvironmentEdge own) {
    this.own = own;
  }

  /**
   * What another clock showed; it is thought to have gone on evenly since.
   *
   * @param nanos this machine's {@link System#nanoTime} then
   */
  record Reading(long millis, long nanos) {
    /** What it shows now. */
    long now() {
      return millis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
  }

  /** From now on this thread goes by a clock, too, until {@link #leave}. */
  static void follow(Reading clock) {
    synchronized (CallersClock.class) {
      EnvironmentEdge now = EnvironmentEdgeManager.getDelegate();
      if (!(now instanceof CallersClock)) {
        EnvironmentEdgeManager.injectEdge(new CallersClock(now));
      }
    }
    CALLER.set(clock);
  }

  static void leave() {
    CALLER.remove();
  }

  /** This machine's own time, in milliseconds, whomever the thread works for. */
  static long ownMillis() {
    EnvironmentEdge now = EnvironmentEdgeManager.getDelegate();
    return now instanceof CallersClock clock ? clock.own.currentTime() : now.currentTime();
  }

  @Override
  public long currentTime() {
    long now = own.currentTime();
    Reading caller = CALLER.get();
    return caller == null ? now : Math.min(now, caller.now());
  }
}
