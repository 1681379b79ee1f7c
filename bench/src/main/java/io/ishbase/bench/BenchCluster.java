package io.ishbase.bench;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Connection;

/** A running cluster as a scenario sees it. */
public interface BenchCluster {
  /** A client's connection; the cluster closes it. */
  Connection connection();

  NetworkRig rig();

  /** Where its region servers listen, as {@code host:port}, in the order of its needs. */
  List<String> regionServers();

  /**
   * Processor time of the client and of each kind of server, by name with {@link
   * Counters#PROCESSOR}; empty if nobody can tell.
   */
  Counters processors();

  /**
   * The server of that kind on storage node 1, 2, …, or that region server, for scenarios that
   * disturb it.
   */
  ClusterServer server(ClusterServer.Kind kind, int node);

  /**
   * Starts one more of the compaction servers that it was to have room for, and returns when the
   * region servers can know of it. They run until the cluster ends.
   */
  void startCompactionServer() throws IOException;
}
