package io.ishbase.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The kind of cluster that somebody needs. Whoever has equal needs can share one.
 *
 * @param daemons what each daemon is like
 * @param site properties of HMaster and all region servers
 * @param regionServers one entry for each
 * @param compactionServers dedicated ones that may be started
 * @param storageNodes DataNodes, each with a daemon beside it
 */
public record ClusterNeeds(
    Daemon daemons,
    Map<String, String> site,
    List<RegionServer> regionServers,
    int compactionServers,
    int storageNodes) {
  /** Share of the usual data that the block cache holds. */
  private static final double CACHED_SHARE = 0.07;

  /** Bytes of a cell beside its value in a YCSB table. */
  private static final int KEY_BYTES = 50;

  /**
   * Its size. Where a scenario is not about caches there is none: both modes read what their block
   * caches, of one size, do not hold.
   */
  private static final String SEGMENT_CACHE = "ishbase.cache.bytes";

  private static final String REPLICATION = "dfs.replication";
  private static final int USUAL_STORAGE_NODES = 2;
  private static final String REMOTE_CACHE = "ishbase.issn.remote.cache";
  private static final int VALUE_BYTES = 1000;
  private static final int HEAP_MB = 1024;
  private static final int DAEMON_HEAP_MB = 512;

  /** The most of a heap that HBase gives to the block cache beside the memstores. */
  private static final double HEAP_SHARE = 0.4;

  /** How much larger a cache is than the data that it is to hold whole, indexes included. */
  private static final double WHOLE_SHARE = 1.4;

  /**
   * What a region server is like.
   *
   * @param heapMb its Java heap
   * @param blockCacheBytes size of its block cache on the heap
   * @param site properties of its own
   * @param jvmFlags flags of its own
   * @param storageNode on which it stands, beside DataNode and daemon; 0: on a node of its own.
   *     Only the last one may stand on a storage node
   */
  public record RegionServer(
      int heapMb,
      long blockCacheBytes,
      Map<String, String> site,
      List<String> jvmFlags,
      int storageNode) {

    /** One like the others of a benchmark; its heap is large enough for its block cache. */
    public static RegionServer caching(long blockCacheBytes) {
      int forCache = (int) Math.ceil(blockCacheBytes / HEAP_SHARE / (1 << 20));
      return new RegionServer(Math.max(HEAP_MB, forCache), blockCacheBytes, Map.of(), List.of(), 0);
    }

    /** The same with one more property. */
    public RegionServer with(String key, Object value) {
      Map<String, String> more = new LinkedHashMap<>(site);
      more.put(key, value.toString());
      return new RegionServer(heapMb, blockCacheBytes, more, jvmFlags, storageNode);
    }

    /** The same with one more flag. */
    public RegionServer withFlag(String flag) {
      return withFlags(List.of(flag));
    }

    /** The same with more flags. */
    public RegionServer withFlags(List<String> flags) {
      List<String> more = new ArrayList<>(jvmFlags);
      more.addAll(flags);
      return new RegionServer(heapMb, blockCacheBytes, site, more, storageNode);
    }

    /** The same on that storage node. */
    public RegionServer beside(int node) {
      return new RegionServer(heapMb, blockCacheBytes, site, jvmFlags, node);
    }
  }

  /**
   * What the daemons are like.
   *
   * @param heapMb its Java heap
   * @param blockCacheBytes size of its block cache
   * @param site properties of its own
   * @param jvmFlags flags of its own
   */
  public record Daemon(
      int heapMb, long blockCacheBytes, Map<String, String> site, List<String> jvmFlags) {

    /** One whose heap is twice its block cache. */
    public static Daemon caching(long blockCacheBytes) {
      int forCache = (int) (blockCacheBytes * 2 >> 20);
      return new Daemon(Math.max(DAEMON_HEAP_MB, forCache), blockCacheBytes, Map.of(), List.of());
    }

    /** The same with one more property. */
    public Daemon with(String key, Object value) {
      Map<String, String> more = new LinkedHashMap<>(site);
      more.put(key, value.toString());
      return new Daemon(heapMb, blockCacheBytes, more, jvmFlags);
    }

    /** The same with those flags. */
    public Daemon withFlags(List<String> flags) {
      return new Daemon(heapMb, blockCacheBytes, site, List.copyOf(flags));
    }

    /** The same with so much more heap. */
    public Daemon withMoreHeap(int mb) {
      return new Daemon(heapMb + mb, blockCacheBytes, site, jvmFlags);
    }
  }

  /**
   * One region server whose block cache, as each daemon's, holds 7 % of {@code rows} rows of 1 KB.
   */
  public static ClusterNeeds usual(long rows) {
    return caching(usualCacheBytes(rows));
  }

  /** One region server whose block cache, as each daemon's, holds a table of {@code bytes}. */
  public static ClusterNeeds holding(long bytes) {
    return caching((long) (bytes * WHOLE_SHARE));
  }

  /** One region server with that block cache, and daemons with the same. */
  public static ClusterNeeds caching(long cacheBytes) {
    return new ClusterNeeds(
        Daemon.caching(cacheBytes),
        Map.of(SEGMENT_CACHE, "0"),
        List.of(RegionServer.caching(cacheBytes)),
        0,
        USUAL_STORAGE_NODES);
  }

  /** The same with other region servers. */
  public ClusterNeeds withRegionServers(List<RegionServer> others) {
    return new ClusterNeeds(daemons, site, List.copyOf(others), compactionServers, storageNodes);
  }

  /** The same with a segment cache in each region server that is as large as its block cache. */
  public ClusterNeeds withSegmentCaches() {
    return withRegionServers(
        regionServers.stream()
            .map(server -> server.with(SEGMENT_CACHE, server.blockCacheBytes))
            .toList());
  }

  /** The same with memory in each daemon for what it compacts, as large as its block cache. */
  public ClusterNeeds withRemoteCaches() {
    int megabytes = (int) (daemons.blockCacheBytes >> 20);
    return withDaemons(daemons.with(REMOTE_CACHE, megabytes).withMoreHeap(megabytes));
  }

  /** The same with other daemons. */
  public ClusterNeeds withDaemons(Daemon others) {
    return new ClusterNeeds(others, site, regionServers, compactionServers, storageNodes);
  }

  /** The same with room for that many compaction servers. */
  public ClusterNeeds withCompactionServers(int count) {
    return new ClusterNeeds(daemons, site, regionServers, count, storageNodes);
  }

  /** The same with one more property of HMaster and all region servers. */
  public ClusterNeeds with(String key, Object value) {
    Map<String, String> more = new LinkedHashMap<>(site);
    more.put(key, value.toString());
    return new ClusterNeeds(daemons, more, regionServers, compactionServers, storageNodes);
  }

  /** The same with so many replicas of each block, and as many DataNodes as they need. */
  public ClusterNeeds withReplicas(int count) {
    ClusterNeeds replicated = count == 1 ? this : with(REPLICATION, count);
    return new ClusterNeeds(
        replicated.daemons,
        replicated.site,
        regionServers,
        compactionServers,
        Math.max(storageNodes, count));
  }

  /** The same with so many DataNodes, each with a daemon beside it. */
  public ClusterNeeds withStorageNodes(int count) {
    return new ClusterNeeds(daemons, site, regionServers, compactionServers, count);
  }

  /** The same with {@code count} region servers, all like the first. */
  public ClusterNeeds withRegionServers(int count) {
    return withRegionServers(Collections.nCopies(count, regionServers.get(0)));
  }

  /** Bytes that hold 7 % of {@code rows} rows of 1 KB. */
  public static long usualCacheBytes(long rows) {
    return (long) (rows * (VALUE_BYTES + KEY_BYTES) * CACHED_SHARE);
  }

  /** What a reader of figures must know of the cluster, in words. */
  public Map<String, String> conditions() {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put(
        "replicas of each block",
        site.getOrDefault(REPLICATION, "1") + ", on " + storageNodes + " DataNodes");
    conditions.put(
        "caches",
        "block cache of "
            + each(server -> megabytes(server.blockCacheBytes))
            + " in a region server, "
            + megabytes(daemons.blockCacheBytes)
            + " in a daemon; segment cache of "
            + each(
                server ->
                    segmentCache(
                        server.site.getOrDefault(SEGMENT_CACHE, site.get(SEGMENT_CACHE)))));
    return conditions;
  }

  /** What a word says of the region servers, once if it says the same of all. */
  private String each(Function<RegionServer, String> word) {
    return String.join(", ", new LinkedHashSet<>(regionServers.stream().map(word).toList()));
  }

  private static String segmentCache(String bytes) {
    return bytes == null || bytes.startsWith("-")
        ? "a quarter of the direct memory"
        : bytes.equals("0") ? "none" : megabytes(Long.parseLong(bytes));
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.0f MB", bytes / 1e6);
  }

  /** What a report says of the cluster. */
  public Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("block cache bytes of each daemon", daemons.blockCacheBytes);
    if (!daemons.site.isEmpty()) {
      facts.put("properties of each daemon", daemons.site);
    }
    if (!daemons.jvmFlags.isEmpty()) {
      facts.put("flags of each daemon", shown(daemons.jvmFlags));
    }
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
                            + (server.storageNode == 0
                                ? ""
                                : ", on storage node " + server.storageNode)
                            + (server.site.isEmpty() ? "" : ", " + server.site)
                            + (server.jvmFlags.isEmpty() ? "" : ", " + shown(server.jvmFlags)))
                .toList()));
    if (!site.isEmpty()) {
      facts.put("properties of all", site);
    }
    return facts;
  }

  /** Without the directory that an agent lies in on this machine. */
  private static String shown(List<String> jvmFlags) {
    return String.join(" ", jvmFlags).replaceAll("-javaagent:\\S*/", "-javaagent:");
  }
}
