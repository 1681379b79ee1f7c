package io.ishbase.dist.cluster;

import io.ishbase.cluster.ClusterNeeds.Daemon;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.core.Setting;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What may differ between local clusters.
 *
 * @param loopback do without network namespaces even if the rights for them are there
 * @param readMode how reads are answered where neither table nor operation says: stock or
 *     in-storage
 * @param daemons what each daemon is like
 * @param site properties of HMaster and all region servers beside those that make it a cluster
 * @param regionServers one entry for each region server
 * @param compactionServers dedicated ones that may be started
 * @param storageNodes DataNodes, each with a daemon beside it
 * @param secured with Kerberos, encrypted connections and access control; on loopback only
 * @param ownClocks daemons and compaction servers have clocks that can be set
 */
public record ClusterOptions(
    boolean loopback,
    String readMode,
    Daemon daemons,
    Map<String, String> site,
    List<RegionServer> regionServers,
    int compactionServers,
    int storageNodes,
    boolean secured,
    boolean ownClocks) {
  public static final int MAX_REGION_SERVERS = Network.MAX_REGION_SERVERS;

  /**
   * Checks the numbers of servers.
   *
   * @throws IllegalArgumentException if there are no region servers, or more than {@link
   *     Network#MAX_REGION_SERVERS}, or more compaction servers than {@link
   *     Network#MAX_COMPACTION_SERVERS}, or fewer or more storage nodes than there may be, if
   *     another region server than the last of several is to stand on a storage node, or if it is
   *     to be secured but not on loopback
   */
  public ClusterOptions {
    site = Map.copyOf(site);
    regionServers = List.copyOf(regionServers);
    if (regionServers.isEmpty() || regionServers.size() > Network.MAX_REGION_SERVERS) {
      throw new IllegalArgumentException(regionServers.size() + " region servers");
    }
    if (compactionServers < 0 || compactionServers > Network.MAX_COMPACTION_SERVERS) {
      throw new IllegalArgumentException(compactionServers + " compaction servers");
    }
    if (storageNodes < Network.LEAST_STORAGE_NODES || storageNodes > Network.MAX_STORAGE_NODES) {
      throw new IllegalArgumentException(storageNodes + " storage nodes");
    }
    int last = regionServers.size() - 1;
    int shared = regionServers.get(last).storageNode();
    if (shared > storageNodes
        || shared != 0 && last == 0
        || regionServers.subList(0, last).stream().anyMatch(each -> each.storageNode() != 0)) {
      throw new IllegalArgumentException(
          "only the last of several region servers stands on a storage node, of those there are");
    }
    if (secured && !loopback) {
      throw new IllegalArgumentException("secured, but not on loopback");
    }
  }

  /** With the machine's clock for all. */
  public ClusterOptions(
      boolean loopback,
      String readMode,
      Daemon daemons,
      Map<String, String> site,
      List<RegionServer> regionServers,
      int compactionServers,
      int storageNodes,
      boolean secured) {
    this(
        loopback,
        readMode,
        daemons,
        site,
        regionServers,
        compactionServers,
        storageNodes,
        secured,
        false);
  }

  /** For work of any kind, with region servers of one kind and properties of all servers. */
  public static ClusterOptions general(
      boolean loopback,
      String readMode,
      int regionServers,
      RegionServer each,
      Map<String, String> site) {
    Daemon daemons = Daemon.caching(128L << 20);
    for (Map.Entry<String, String> property : site.entrySet()) {
      daemons = daemons.with(property.getKey(), property.getValue());
    }
    return new ClusterOptions(
        loopback,
        readMode,
        daemons,
        site,
        Collections.nCopies(regionServers, each),
        0,
        Network.LEAST_STORAGE_NODES,
        false);
  }

  /** The same with Kerberos, on loopback. */
  public ClusterOptions withSecurity() {
    return new ClusterOptions(
        true,
        readMode,
        daemons,
        site,
        regionServers,
        compactionServers,
        storageNodes,
        true,
        ownClocks);
  }

  /** The same with clocks that can be set in daemons and compaction servers. */
  public ClusterOptions withOwnClocks() {
    return new ClusterOptions(
        loopback,
        readMode,
        daemons,
        site,
        regionServers,
        compactionServers,
        storageNodes,
        secured,
        true);
  }

  /** For a comparison: daemons cache no more than the region server, and only blocks. */
  public static ClusterOptions fair(boolean loopback, String readMode, long cacheBytes) {
    return new ClusterOptions(
        loopback,
        readMode,
        Daemon.caching(cacheBytes),
        Map.of(Setting.CACHE_BYTES.key(), "0"),
        List.of(RegionServer.caching(cacheBytes)),
        0,
        Network.LEAST_STORAGE_NODES,
        false);
  }
}
