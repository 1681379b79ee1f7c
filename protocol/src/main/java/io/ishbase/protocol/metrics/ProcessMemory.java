package io.ishbase.protocol.metrics;

import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import org.apache.hadoop.hbase.util.DirectMemoryUtils;

/** The heap of this process, and its direct memory: what is bounded as a whole. */
public final class ProcessMemory {
  private static final String HEAP = "heap";
  private static final String DIRECT = "direct";

  private ProcessMemory() {}

  /** Shows both, under a server's metrics for memory in use and its limit. */
  public static void show(Exposition exposition, Metric used, Metric limit) {
    Runtime runtime = Runtime.getRuntime();
    exposition.show(used, HEAP, () -> runtime.totalMemory() - runtime.freeMemory());
    exposition.show(limit, HEAP, runtime::maxMemory);
    exposition.show(used, DIRECT, ProcessMemory::directBytes);
    exposition.show(limit, DIRECT, ProcessMemory::directLimitBytes);
  }

  /**
   * What the limit bounds: buffers that the JDK made. Netty counts its own against one as large.
   */
  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals(DIRECT))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long directLimitBytes() {
    long configured = DirectMemoryUtils.getDirectMemorySize();
    return configured > 0 ? configured : Runtime.getRuntime().maxMemory();
  }
}
