package io.ishbase.it.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.Metric;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;

/**
 * What all segment caches of this JVM have counted. A server has one; here each daemon brings
 * another, and the metrics system shows the first of a name only.
 */
final class CacheCounters {
  private static final Map<String, String> SHOWN =
      Map.of("cache_hits", "cache-hits", "cache_fills", "cache-fills");
  private static final List<Map<String, Metric>> EARLIER = new ArrayList<>();

  private CacheCounters() {}

  /** Keeps the gauges of the present cache and makes room for those of the next. */
  static synchronized void followNext() {
    registry()
        .ifPresent(
            registry -> {
              Map<String, Metric> gauges = new TreeMap<>(registry.getMetrics());
              gauges.keySet().removeIf(name -> !name.startsWith("cache_"));
              gauges.keySet().forEach(registry::remove);
              EARLIER.add(gauges);
            });
  }

  /** The sums, by name. */
  static synchronized Map<String, Long> sums() {
    followNext();
    Map<String, Long> sums = new TreeMap<>();
    for (Map<String, Metric> gauges : EARLIER) {
      SHOWN.forEach(
          (metric, name) -> {
            if (gauges.get(metric) instanceof Gauge<?> gauge) {
              sums.merge(name, ((Number) gauge.getValue()).longValue(), Long::sum);
            }
          });
    }
    return sums;
  }

  private static Optional<MetricRegistry> registry() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .filter(registry -> registry.getMetricRegistryInfo().getMetricsName().equals("InStorage"))
        .findAny();
  }
}
