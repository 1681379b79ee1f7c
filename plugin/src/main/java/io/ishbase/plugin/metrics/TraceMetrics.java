package io.ishbase.plugin.metrics;

import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.metrics.Meters;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * What the region server counts of recorded operations: on {@code /jmx} under {@code
 * Hadoop:service=HBase,name=RegionServer,sub=InStorageTrace}. One per process.
 */
public final class TraceMetrics {
  private static final TraceMetrics INSTANCE = new TraceMetrics();

  private final Counter recorded;
  private final Counter dropped;
  private final Counter bytes;

  private TraceMetrics() {
    Meters meters =
        new Meters(
            new MetricRegistryInfo(
                "InStorageTrace",
                "Operations recorded for the simulator",
                "RegionServer,sub=InStorageTrace",
                "regionserver",
                false),
            ServerExposition.get());
    recorded = meters.counter(Metric.TRACE_RECORDED);
    dropped = meters.counter(Metric.TRACE_DROPPED);
    bytes = meters.counter(Metric.TRACE_BYTES);
  }

  public static TraceMetrics get() {
    return INSTANCE;
  }

  /** So many operations were written, in so many bytes. */
  public void recorded(long operations, long written) {
    recorded.increment(operations);
    bytes.increment(written);
  }

  /** So many operations should have been recorded, and were not. */
  public void dropped(long operations) {
    dropped.increment(operations);
  }

  /** Operations that were written. */
  public long recorded() {
    return recorded.getCount();
  }

  /** Operations that should have been recorded, and were not. */
  public long dropped() {
    return dropped.getCount();
  }
}
