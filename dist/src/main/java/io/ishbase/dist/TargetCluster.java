package io.ishbase.dist;

import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import picocli.CommandLine.Option;

/** The cluster that a command is about: the one that {@code up} started, or another. */
final class TargetCluster {
  private static final int MAX_REGION_SERVERS_GONE_MILLIS = 20_000;
  private static final int MAX_PORT = 65_535;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT",
      description = "Of another cluster than the one that ./ishbase up started.")
  private String zooKeeper;

  /** Whether it is the one that {@code up} started. */
  boolean isLocal() {
    return zooKeeper == null;
  }

  /** The configuration of one of its clients. */
  Configuration configuration() {
    if (zooKeeper != null && !isHostAndPort(zooKeeper)) {
      throw new CliException("--zookeeper is HOST:PORT, not '" + zooKeeper + "'");
    }
    Configuration conf =
        isLocal()
            ? Home.running().clientConfiguration()
            : LocalCluster.clientConfiguration(zooKeeper);
    conf.setInt("hbase.client.meta.operation.timeout", MAX_REGION_SERVERS_GONE_MILLIS);
    return conf;
  }

  private static boolean isHostAndPort(String text) {
    if (!text.matches("[^:,]+:\\d{1,5}")) {
      return false;
    }
    int port = Integer.parseInt(text.substring(text.indexOf(':') + 1));
    return port > 0 && port <= MAX_PORT;
  }

  /**
   * Asks it something that every HBase can answer.
   *
   * @throws CliException if it does not answer
   */
  static void requireAnswer(Admin admin) {
    try {
      admin.listNamespaces();
    } catch (IOException e) {
      Configuration conf = admin.getConfiguration();
      throw new CliException(
          "No HBase answers with ZooKeeper at "
              + conf.get("hbase.zookeeper.quorum")
              + ":"
              + conf.get("hbase.zookeeper.property.clientPort")
              + ": "
              + e.getMessage(),
          e);
    }
  }
}
