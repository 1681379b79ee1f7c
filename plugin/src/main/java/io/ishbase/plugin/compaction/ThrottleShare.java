package io.ishbase.plugin.compaction;

import org.apache.hadoop.hbase.regionserver.throttle.PressureAwareThroughputController;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputControllerAccess;

/**
 * An attempt's share of what HBase lets the compactions of this region server write: the limit by
 * all that are under way, here and at workers, as they come and go.
 */
final class ThrottleShare implements AutoCloseable {
  private final ThroughputController controller;
  private final String name;

  /** From now on the attempt {@code name} is one of those that {@code controller} counts. */
  ThrottleShare(ThroughputController controller, String name) {
    this.controller = controller;
    this.name = name;
    controller.start(name);
  }

  /** What it may write now; 0: at any rate. */
  long bytesPerSecond() {
    double rate =
        controller instanceof PressureAwareThroughputController aware
            ? ThroughputControllerAccess.perOperation(aware)
            : 0;
    return rate >= Long.MAX_VALUE ? 0 : Math.max(0, (long) rate);
  }

  @Override
  public void close() {
    controller.finish(name);
  }
}
