package io.ishbase.plugin.master;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ChoreService;
import org.apache.hadoop.hbase.CoordinatedStateManager;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master as the manager's RPC server sees it: a name and a configuration. Whatever becomes of
 * the manager, the master goes on.
 */
record ManagerHost(Configuration conf, ServerName name) implements Server {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerHost.class);

  @Override
  public Configuration getConfiguration() {
    return conf;
  }

  @Override
  public ServerName getServerName() {
    return name;
  }

  @Override
  public void abort(String why, @Nullable Throwable failure) {
    LOG.error("The compaction manager's RPC server: {}", why, failure);
  }

  @Override
  public boolean isAborted() {
    return false;
  }

  @Override
  public void stop(String why) {
    abort(why, null);
  }

  @Override
  public boolean isStopped() {
    return false;
  }

  @Override
  public @Nullable ZKWatcher getZooKeeper() {
    return null;
  }

  @Override
  public @Nullable Connection getConnection() {
    return null;
  }

  @Override
  public Connection createConnection(Configuration connectionConf) {
    throw new UnsupportedOperationException("The compaction manager is no client of HBase");
  }

  @Override
  public @Nullable ClusterConnection getClusterConnection() {
    return null;
  }

  @Override
  public @Nullable CoordinatedStateManager getCoordinatedStateManager() {
    return null;
  }

  @Override
  public @Nullable ChoreService getChoreService() {
    return null;
  }
}
