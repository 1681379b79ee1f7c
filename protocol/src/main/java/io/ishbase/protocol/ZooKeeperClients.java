package io.ishbase.protocol;

import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.zookeeper.ZooKeeper;

/** Clients of HBase's ZooKeeper that are set up as HBase's own are. */
public final class ZooKeeperClients {
  private static final int MOST_CONNECT_MILLIS = 15_000;

  private ZooKeeperClients() {}

  /** One of HBase's servers, which stays. */
  public static CuratorFrameworkFactory.Builder ofServer(Configuration conf) {
    int sessionMillis =
        conf.getInt(HConstants.ZK_SESSION_TIMEOUT, HConstants.DEFAULT_ZK_SESSION_TIMEOUT);
    return of(conf, sessionMillis, Math.min(MOST_CONNECT_MILLIS, sessionMillis))
        .retryPolicy(new BoundedExponentialBackoffRetry(100, 5_000, 29));
  }

  /** One without a policy for retries yet. */
  public static CuratorFrameworkFactory.Builder of(
      Configuration conf, int sessionMillis, int connectMillis) {
    return CuratorFrameworkFactory.builder()
        .ensembleProvider(new ConfiguredQuorum(conf))
        // What is hbase.zookeeper.property.* holds for clients, too: TLS and its stores, SASL.
        .zookeeperFactory(
            (servers, session, watcher, mayBeReadOnly) ->
                new ZooKeeper(
                    servers, session, watcher, mayBeReadOnly, ZKConfig.getZKClientConfig(conf)))
        .sessionTimeoutMs(sessionMillis)
        .connectionTimeoutMs(connectMillis);
  }
}
