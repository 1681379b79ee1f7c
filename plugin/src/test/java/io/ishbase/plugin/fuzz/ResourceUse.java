package io.ishbase.plugin.fuzz;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What the process holds.
 *
 * @param heapBytes in use behind a collection of garbage
 * @param directBytes of memory off the heap
 * @param files open, sockets included
 */
record ResourceUse(long heapBytes, long directBytes, long files, long threads) {
  /** What caches of bounded size and pools may have grown by since. */
  private static final long HEAP_SLACK = 96L << 20;

  private static final long DIRECT_SLACK = 32L << 20;
  private static final long FILES_SLACK = 20;
  private static final long THREADS_SLACK = 12;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  static ResourceUse now() {
    System.gc();
    long direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return new ResourceUse(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        direct,
        openFiles(),
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  private static long openFiles() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }

  private boolean isNoMoreThan(ResourceUse before) {
    return heapBytes <= before.heapBytes + HEAP_SLACK
        && directBytes <= before.directBytes + DIRECT_SLACK
        && files <= before.files + FILES_SLACK
        && threads <= before.threads + THREADS_SLACK;
  }

  /**
   * Waits until the process holds about what it held before: what is idle is let go after a while.
   */
  static void awaitNoMoreThan(ResourceUse before) {
    long start = System.nanoTime();
    ResourceUse now = now();
    while (!now.isNoMoreThan(before)) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("A leak: held " + before + ", and now " + now);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
      now = now();
    }
  }
}
