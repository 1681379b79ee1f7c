package io.ishbase.dist;

import io.ishbase.protocol.ZooKeeperClients;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hbase.thirdparty.com.google.common.base.Throwables;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/**
 * The cluster that a command is about: the one that {@code up} started, or another. In a release it
 * is the one whose configuration is on the class path, or another.
 */
final class TargetCluster {
  private static final Logger LOG = LoggerFactory.getLogger(TargetCluster.class);
  private static final int CONNECT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 200;
  private static final int MAX_REGION_SERVERS_GONE_MILLIS = 20_000;

  @Option(
      names = "--zookeeper",
      paramLabel = ZooKeeperAddress.FORM,
      description =
          "Of another cluster than the one that ./ishbase up started; in a release, than the one of"
              + " HBASE_CONF_DIR.")
  private String zooKeeper;

  /** Whether it is the one that {@code up} started. */
  boolean isLocal() {
    return zooKeeper == null && !Home.isRelease();
  }

  /** Whether it is named by its ZooKeeper. */
  boolean isNamed() {
    return zooKeeper != null;
  }

  /** The configuration of one of its clients. */
  Configuration configuration() {
    Configuration conf;
    if (isNamed()) {
      conf =
          ZooKeeperAddress.of(zooKeeper)
              .orElseThrow(
                  () ->
                      new CliException(
                          "--zookeeper is " + ZooKeeperAddress.FORM + ", not '" + zooKeeper + "'"))
              .configuration();
    } else {
      conf = isLocal() ? Home.running().clientConfiguration() : onClassPath();
    }
    conf.setInt("hbase.client.meta.operation.timeout", MAX_REGION_SERVERS_GONE_MILLIS);
    return conf;
  }

  private static Configuration onClassPath() {
    if (TargetCluster.class.getResource("/hbase-site.xml") == null) {
      throw new CliException(
          "Which cluster? Set HBASE_CONF_DIR to the directory of its hbase-site.xml, or say"
              + " --zookeeper HOST:PORT");
    }
    return HBaseConfiguration.create();
  }

  /**
   * Asks it something that every HBase can answer.
   *
   * @throws CliException if it does not answer
   */
  static void requireAnswer(Admin admin) {
    requireZNode(admin.getConfiguration());
    try {
      admin.listNamespaces();
    } catch (IOException e) {
      throw noAnswer(admin.getConfiguration(), e);
    }
  }

  /**
   * Looks whether ZooKeeper has the root of an HBase: HBase's client would look for it for two
   * minutes.
   *
   * @throws CliException if it is not there
   */
  static void requireZNode(Configuration conf) {
    if (!conf.get("hbase.client.registry.impl", "ZK").contains("ZK")
        || !conf.get(HConstants.CLIENT_ZOOKEEPER_QUORUM, conf.get(HConstants.ZOOKEEPER_QUORUM, ""))
            .equals(conf.get(HConstants.ZOOKEEPER_QUORUM, ""))) {
      // Its client asks elsewhere.
      return;
    }
    String znode = conf.get(HConstants.ZOOKEEPER_ZNODE_PARENT, "/hbase");
    boolean isMissing = false;
    try (CuratorFramework zooKeeper =
        ZooKeeperClients.of(conf, CONNECT_MILLIS, CONNECT_MILLIS)
            .retryPolicy(new RetryOneTime(PAUSE_MILLIS))
            .build()) {
      zooKeeper.start();
      isMissing =
          zooKeeper.blockUntilConnected(CONNECT_MILLIS, TimeUnit.MILLISECONDS)
              && zooKeeper.checkExists().forPath(znode) == null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      // Of Curator any may come. Whether HBase answers all the same its own client says.
      LOG.debug("Cannot look for {}", znode, e);
    }
    if (isMissing) {
      throw new CliException(
          "ZooKeeper at "
              + ZKConfig.getZKQuorumServersString(conf)
              + " has no "
              + znode
              + ": is zookeeper.znode.parent, here what follows the port, right?");
    }
  }

  /** What is said, in a line, of an HBase that does not answer: {@code e} tells of each try. */
  static CliException noAnswer(Configuration conf, IOException e) {
    Throwable root = Throwables.getRootCause(e);
    String why = Objects.requireNonNullElse(root.getMessage(), root.toString());
    return new CliException(
        "No HBase answers with ZooKeeper at "
            + ZKConfig.getZKQuorumServersString(conf)
            + ": "
            + why.lines().findFirst().orElse(root.toString())
            + (root instanceof KeeperException.NoNodeException
                ? ": is zookeeper.znode.parent (the end of --zookeeper) right?"
                : ""),
        e);
  }
}
