package io.ishbase.dist.cluster;

import io.ishbase.cluster.NetworkRig;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * The nodes of a local cluster and what connects them: one compute node and two or three storage
 * nodes. ZooKeeper, NameNode, HMaster and the first region server stand on the compute node, each
 * further region server on a node of its own, as each compaction server, which is our daemon alone;
 * each storage node has a DataNode and our daemon.
 */
interface Network extends NetworkRig, Closeable {
  int LEAST_STORAGE_NODES = 2;
  int MAX_STORAGE_NODES = 3;
  int MAX_REGION_SERVERS = 6;
  int MAX_COMPACTION_SERVERS = 3;

  /**
   * Makes it.
   *
   * @throws IOException if the rights or tools are missing; what was made until then is for {@link
   *     #close} to remove
   */
  void create() throws IOException;

  /** Address of the compute node for clients and for what runs on it. */
  String clientAddress();

  /** Address of the compute node for the storage nodes. */
  String computeAddress();

  /** Address of compaction server 1, 2, … */
  String compactionServerAddress(int number);

  /** What to write before a command so that it runs on the node of compaction server 1, 2, … */
  List<String> inCompactionServer(int number);

  /** Address of storage node 1, 2, … */
  String storageAddress(int node);

  /** What to write before a command so that it runs on the compute node. */
  List<String> inCompute();

  /** Address of region server 1, 2, … for clients and for the other servers on compute nodes. */
  String regionServerAddress(int number);

  /** What to write before a command so that it runs on the node of region server 1, 2, … */
  List<String> inRegionServer(int number);

  /** What to write before a command so that it runs on storage node 1, 2, … */
  List<String> inStorage(int node);

  /** Whether each node has all ports to itself. */
  boolean hasOwnPorts();

  /** The links of its nodes; empty if there is nothing between them that could be cut. */
  Optional<Links> links();

  /** Tells which processes to ask for the compute nodes' counters, once they run. */
  void observe(List<Long> regionServerPids, List<Integer> storagePorts);

  /** Writes down what {@link Networks#open} needs to find this network again. */
  void save(Properties state);

  /** Removes all that the network put into the operating system. Nothing may run in it any more. */
  @Override
  void close();
}
