package io.ishbase.dist.cluster;

/**
 * How many nodes of each kind a network has.
 *
 * @param regionServers compute nodes, one for each region server
 * @param storageNodes each with a DataNode and a daemon
 * @param compactionServers nodes with a daemon alone
 */
record NetworkNodes(int regionServers, int storageNodes, int compactionServers) {
  static NetworkNodes of(ClusterOptions options) {
    return new NetworkNodes(
        options.regionServers().size(), options.storageNodes(), options.compactionServers());
  }
}
