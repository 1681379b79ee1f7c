package io.ishbase.dist.cluster;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What may differ between the region servers of a local cluster.
 *
 * @param heapMb its Java heap
 * @param blockCacheBytes size of its block cache on the heap
 * @param site properties that stand before all others in its {@code hbase-site.xml}
 * @param jvmFlags flags of its JVM beside those that all servers need
 */
public record RegionServerOptions(
    int heapMb, long blockCacheBytes, Map<String, String> site, List<String> jvmFlags) {
  private static final int USUAL_HEAP_MB = 1024;

  public RegionServerOptions {
    site = Map.copyOf(site);
    jvmFlags = List.copyOf(jvmFlags);
  }

  /** One with the usual heap. */
  public static RegionServerOptions usual(long blockCacheBytes) {
    return new RegionServerOptions(USUAL_HEAP_MB, blockCacheBytes, Map.of(), List.of());
  }

  /** The same with one more property, or another value of it. */
  public RegionServerOptions with(String key, Object value) {
    Map<String, String> more = new LinkedHashMap<>(site);
    more.put(key, value.toString());
    return new RegionServerOptions(heapMb, blockCacheBytes, more, jvmFlags);
  }
}
