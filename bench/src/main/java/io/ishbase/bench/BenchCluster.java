package io.ishbase.bench;

import org.apache.hadoop.hbase.client.Connection;

/** A running cluster as a scenario sees it. */
public interface BenchCluster {
  /** A client's connection; the cluster closes it. */
  Connection connection();

  NetworkRig rig();
}
