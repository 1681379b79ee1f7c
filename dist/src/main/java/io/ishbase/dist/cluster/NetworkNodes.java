package io.ishbase.dist.cluster;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import java.util.List;

/**
 * How many nodes of each kind a network has.
 *
 * @param regionServers each on a compute node of its own, or the last one on a storage node
 * @param storageNodes each with a DataNode and a daemon
 * @param compactionServers nodes with a daemon alone
 * @param withRegionServer the storage node on which the last region server stands; 0: none
 */
record NetworkNodes(
    int regionServers, int storageNodes, int compactionServers, int withRegionServer) {
  NetworkNodes(int regionServers, int storageNodes, int compactionServers) {
    this(regionServers, storageNodes, compactionServers, 0);
  }

  static NetworkNodes of(ClusterOptions options) {
    List<RegionServer> servers = options.regionServers();
    return new NetworkNodes(
        servers.size(),
        options.storageNodes(),
        options.compactionServers(),
        servers.get(servers.size() - 1).storageNode());
  }

  /** Nodes with a region server alone. */
  int computeNodes() {
    return withRegionServer == 0 ? regionServers : regionServers - 1;
  }
}
