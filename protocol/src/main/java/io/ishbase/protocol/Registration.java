package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.zookeeper.CreateMode;

/**
 * The ephemeral znode by which region servers find a daemon or the compaction manager. It comes
 * back by itself after a lost session.
 */
public final class Registration implements Closeable {
  private final CuratorFramework zooKeeper;
  private final PersistentNode node;

  /**
   * Registers below {@code parent} and waits until it is done.
   *
   * @throws IOException if ZooKeeper does not answer within its session time-out
   */
  public Registration(Configuration conf, String parent, DaemonInfo info) throws IOException {
    String quorum = ZKConfig.getZKQuorumServersString(conf);
    int sessionMillis =
        conf.getInt(HConstants.ZK_SESSION_TIMEOUT, HConstants.DEFAULT_ZK_SESSION_TIMEOUT);
    zooKeeper =
        CuratorFrameworkFactory.newClient(
            quorum,
            sessionMillis,
            Math.min(15_000, sessionMillis),
            new BoundedExponentialBackoffRetry(100, 5_000, 29));
    zooKeeper.start();
    String path = parent + "/" + info.getHost() + "," + info.getPort() + "," + info.getStartCode();
    node = new PersistentNode(zooKeeper, CreateMode.EPHEMERAL, false, path, info.toByteArray());
    node.start();
    boolean created = false;
    try {
      created = node.waitForInitialCreate(sessionMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!created) {
        close();
      }
    }
    if (!created) {
      throw new IOException(
          "Cannot register in ZooKeeper at "
              + quorum
              + " within "
              + sessionMillis
              + " ms: check "
              + HConstants.ZOOKEEPER_QUORUM
              + " and that it runs");
    }
  }

  /** Publishes what changed, load above all. */
  public void update(DaemonInfo info) throws IOException {
    try {
      node.setData(info.toByteArray());
    } catch (Exception e) {
      throw new IOException("Cannot update the registration in ZooKeeper", e);
    }
  }

  /** The znode goes with the session. To delete it would take minutes while ZooKeeper is away. */
  @Override
  public void close() {
    zooKeeper.close();
  }
}
