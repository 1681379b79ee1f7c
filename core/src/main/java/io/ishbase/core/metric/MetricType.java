package io.ishbase.core.metric;

import java.util.Locale;

/** What Prometheus may do with a metric. */
public enum MetricType {
  /** Only grows while the server lives. */
  COUNTER,
  /** What is there now. */
  GAUGE,
  /** Counts by size, {@link Buckets}. */
  HISTOGRAM;

  /** As Prometheus calls it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
