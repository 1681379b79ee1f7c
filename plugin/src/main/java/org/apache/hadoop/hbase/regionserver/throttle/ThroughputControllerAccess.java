package org.apache.hadoop.hbase.regionserver.throttle;

import org.jspecify.annotations.NullMarked;

/**
 * How many operations share the limit of one of HBase's controllers. In this package because {@code
 * activeOperations} is protected.
 */
@NullMarked
public final class ThroughputControllerAccess {
  private ThroughputControllerAccess() {}

  /** What each operation of {@code controller} may write now, bytes per second. */
  public static double perOperation(PressureAwareThroughputController controller) {
    return controller.getMaxThroughput() / Math.max(1, controller.activeOperations.size());
  }
}
