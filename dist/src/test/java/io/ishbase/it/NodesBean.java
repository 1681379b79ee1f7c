package io.ishbase.it;

import io.ishbase.cluster.RegionServerJmx;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;

/** What the region server in this JVM shows over JMX of the storage nodes. */
final class NodesBean {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private NodesBean() {}

  /** Names of the nodes, files and filters that are quarantined. */
  static List<String> quarantined() {
    return List.of((String[]) attribute("Quarantined"));
  }

  /** What scans hold of batches. */
  static long heldBytes() {
    return (Long) attribute("HeldBytes");
  }

  /** What is cached of each open store. */
  static List<String> cachedStores() {
    return List.of((String[]) attribute("CachedStores"));
  }

  /** Ends all quarantines. */
  static void forgetFailures() {
    try {
      SERVER.invoke(name(), "forgetFailures", null, null);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /** What the segment cache has otherwise than the files. */
  static List<String> checkCache() {
    try {
      return List.of((String[]) SERVER.invoke(name(), "checkCache", null, null));
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /** A counter of the process's segment cache, by its name in {@code CacheStats}. */
  static long cacheCounter(String counter) {
    return MetricRegistries.global().getMetricRegistries().stream()
        .map(registry -> registry.get("cache_" + counter))
        .flatMap(Optional::stream)
        .mapToLong(gauge -> (Long) ((Gauge<?>) gauge).getValue())
        .sum();
  }

  /** What is said of who has how much memory. */
  static List<String> memory() {
    return List.of((String[]) attribute("Memory"));
  }

  private static Object attribute(String attribute) {
    try {
      return SERVER.getAttribute(name(), attribute);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  private static ObjectName name() throws JMException {
    return new ObjectName(RegionServerJmx.STORAGE_NODES);
  }
}
