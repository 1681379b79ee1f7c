package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.compaction.LocalReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * What the region server counts of offloaded compactions, in HBase's metrics system: on {@code
 * /jmx} under {@code Hadoop:service=HBase,name=RegionServer,sub=InStorageCompactions}. One per
 * process.
 */
public final class CompactionMetrics {
  private static final MetricRegistryInfo INFO =
      new MetricRegistryInfo(
          "InStorageCompactions",
          "Compactions carried out by storage daemons",
          "RegionServer,sub=InStorageCompactions",
          "regionserver",
          false);
  private static final CompactionMetrics INSTANCE = new CompactionMetrics();

  private final Map<LocalReason, Counter> local = new EnumMap<>(LocalReason.class);
  private final Counter offloaded;
  private final Counter offloadedBytes;
  private final Counter controlBytes;

  private CompactionMetrics() {
    MetricRegistry registry = MetricRegistries.global().create(INFO);
    for (LocalReason reason : LocalReason.values()) {
      local.put(reason, registry.counter("local_" + reason.name().toLowerCase(Locale.ROOT)));
    }
    offloaded = registry.counter("offloaded");
    offloadedBytes = registry.counter("offloadedBytes");
    controlBytes = registry.counter("controlBytes");
  }

  public static CompactionMetrics get() {
    return INSTANCE;
  }

  /** A worker carried out a compaction of files of so many bytes. */
  void offloaded(long bytes) {
    offloaded.increment();
    offloadedBytes.increment(bytes);
  }

  /** The region server carries out a compaction itself. */
  void stayed(LocalReason reason) {
    local.get(reason).increment();
  }

  /** Bytes of a request or an answer, without the framing of the RPC. */
  void exchanged(int bytes) {
    controlBytes.increment(bytes);
  }

  /** Compactions that workers carried out. */
  public long offloaded() {
    return offloaded.getCount();
  }

  /** Compactions that the region server carried out itself for {@code reason}. */
  public long local(LocalReason reason) {
    return local.get(reason).getCount();
  }

  /** Compactions that the region server carried out itself although the table says offload. */
  public long local() {
    return local.values().stream().mapToLong(Counter::getCount).sum();
  }

  /** Bytes of requests and answers, without the framing of the RPC. */
  public long controlBytes() {
    return controlBytes.getCount();
  }
}
