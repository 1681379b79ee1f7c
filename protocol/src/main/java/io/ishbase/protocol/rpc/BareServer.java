package io.ishbase.protocol.rpc;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ChoreService;
import org.apache.hadoop.hbase.CoordinatedStateManager;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.jspecify.annotations.Nullable;

/**
 * What HBase's RPC server wants to know of whom it serves: a name, which stands in the answer to a
 * call that finds the queue full, and a configuration. It has nothing else of HBase's servers.
 */
public abstract class BareServer implements Server {
  private final Configuration conf;
  private final ServerName name;

  protected BareServer(Configuration conf, ServerName name) {
    this.conf = conf;
    this.name = name;
  }

  @Override
  public Configuration getConfiguration() {
    return conf;
  }

  @Override
  public ServerName getServerName() {
    return name;
  }

  @Override
  public void stop(String why) {
    abort(why, null);
  }

  @Override
  public boolean isStopped() {
    return isAborted();
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
    throw new UnsupportedOperationException(name + " is no client of HBase");
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
