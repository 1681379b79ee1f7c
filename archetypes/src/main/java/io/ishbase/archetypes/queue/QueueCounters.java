package io.ishbase.archetypes.queue;

import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of a {@link Queue} object have asked of HBase; all of it since it was opened.
 */
public final class QueueCounters {
  final LongAdder gets = new LongAdder();
  final LongAdder scans = new LongAdder();
  final LongAdder rowsScanned = new LongAdder();
  final LongAdder swaps = new LongAdder();
  final LongAdder lostSwaps = new LongAdder();

  QueueCounters() {}

  void scanned(@Nullable ScanMetrics metrics) {
    scans.increment();
    if (metrics != null) {
      rowsScanned.add(metrics.countOfRowsScanned.get());
    }
  }

  /** Rows that were asked for by key. */
  public long gets() {
    return gets.sum();
  }

  /** Scans. */
  public long scans() {
    return scans.sum();
  }

  /** Rows that region servers say they looked at for these scans. */
  public long rowsScanned() {
    return rowsScanned.sum();
  }

  /** Conditional writes. */
  public long swaps() {
    return swaps.sum();
  }

  /** Conditional writes whose condition did not hold. */
  public long lostSwaps() {
    return lostSwaps.sum();
  }
}
