package io.ishbase.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kind of cluster that a scenario needs. Scenarios with equal needs that follow each other
 * share one cluster.
 *
 * @param daemonCacheBytes size of each daemon's block cache
 * @param site properties of HMaster and all region servers
 * @param regionServers one entry for each
 */
public record ClusterNeeds(
    long daemonCacheBytes, Map<String, String> site, List<RegionServer> regionServers) {
  /** Share of the usual data that the block cache holds. */
  private static final double CACHED_SHARE = 0.07;

  /** Bytes of a cell beside its value in a YCSB table. */
  private static final int KEY_BYTES = 50;

  private static final int VALUE_BYTES = 1000;
  private static final int HEAP_MB = 1024;

  /**
   * What a region server is like.
   *
   * @param heapMb its Java heap
   * @param blockCacheBytes size of its block cache on the heap
   * @param site properties of its own
   * @param jvmFlags flags of its own
   */
  public record RegionServer(
      int heapMb, long blockCacheBytes, Map<String, String> site, List<String> jvmFlags) {}

  /** One region server whose block cache, as each daemon's, holds 7 % of the usual table. */
  public static ClusterNeeds usual(BenchOptions options) {
    long cacheBytes = usualCacheBytes(options.rowsOrPreset());
    return new ClusterNeeds(
        cacheBytes, Map.of(), List.of(new RegionServer(HEAP_MB, cacheBytes, Map.of(), List.of())));
  }

  /** Bytes that hold 7 % of {@code rows} rows of 1 KB. */
  public static long usualCacheBytes(long rows) {
    return (long) (rows * (VALUE_BYTES + KEY_BYTES) * CACHED_SHARE);
  }

  /** What a report says of the cluster. */
  public Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("block cache bytes of each daemon", daemonCacheBytes);
    facts.put(
        "region servers",
        String.join(
            "; ",
            regionServers.stream()
                .map(
                    server ->
                        "heap "
                            + server.heapMb
                            + " MB, block cache "
                            + server.blockCacheBytes
                            + " bytes"
                            + (server.site.isEmpty() ? "" : ", " + server.site)
                            + String.join("", server.jvmFlags.stream().map(f -> " " + f).toList()))
                .toList()));
    if (!site.isEmpty()) {
      facts.put("properties of all", site);
    }
    return facts;
  }
}
