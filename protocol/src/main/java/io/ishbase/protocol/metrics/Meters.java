package io.ishbase.protocol.metrics;

import io.ishbase.core.metric.Buckets;
import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Histogram;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * The metrics of one JMX bean: each is made once, in HBase's metrics system for {@code /jmx}, and
 * in an {@link Exposition} for Prometheus.
 */
public final class Meters {
  private final MetricRegistry registry;
  private final Exposition exposition;

  /** Those of the bean that {@code info} names. */
  public Meters(MetricRegistryInfo info, Exposition exposition) {
    this.registry = MetricRegistries.global().create(info);
    this.exposition = exposition;
  }

  public Counter counter(Metric metric) {
    Counter counter = registry.counter(metric.jmxName());
    exposition.show(metric, counter::getCount);
    return counter;
  }

  /** That of one value of the metric's label. */
  public Counter counter(Metric metric, String label) {
    Counter counter = registry.counter(metric.jmxName(label));
    exposition.show(metric, label, counter::getCount);
    return counter;
  }

  /** One whose value is asked for, in the place of one that was made before. */
  public void gauge(Metric metric, LongSupplier value) {
    registry.remove(metric.jmxName());
    registry.register(metric.jmxName(), value::getAsLong);
    exposition.show(metric, value::getAsLong);
  }

  /** Times in microseconds: percentiles on JMX, a histogram for Prometheus. */
  public Times times(Metric metric) {
    Buckets buckets = new Buckets();
    exposition.show(metric, buckets);
    return new Times(registry.histogram(metric.jmxName()), buckets);
  }

  /** Counts times. */
  public static final class Times {
    private final Histogram histogram;
    private final Buckets buckets;

    private Times(Histogram histogram, Buckets buckets) {
      this.histogram = histogram;
      this.buckets = buckets;
    }

    public void add(long nanos) {
      long micros = nanos / 1000;
      histogram.update(micros);
      buckets.add(micros);
    }
  }
}
