package io.ishbase.daemon.rpc;

import java.util.concurrent.atomic.AtomicBoolean;
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
 * What HBase's RPC server wants to know of the process that it serves: its name, which stands in
 * the answer to a call that finds the queue full, and how it ends. It has nothing else of HBase's
 * servers.
 */
public final class RpcHost implements Server {
  private static final Logger LOG = LoggerFactory.getLogger(RpcHost.class);

  private final Configuration conf;
  private final ServerName name;
  private final Runnable end;
  private final AtomicBoolean aborted = new AtomicBoolean();

  /** Calls {@code end} when something happens after which the process must not go on. */
  public RpcHost(Configuration conf, ServerName name, Runnable end) {
    this.conf = conf;
    this.name = name;
    this.end = end;
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
  public void abort(String why, @Nullable Throwable failure) {
    if (aborted.compareAndSet(false, true)) {
      try {
        LOG.error("issn {} ends; start it again. {}", name, why, failure);
      } finally {
        end.run();
      }
    }
  }

  /** Ends the process if {@code failure} may have left any part of it in an impossible state. */
  public void endIfFatal(@Nullable Throwable failure) {
    // What recurses too deep, as a filter may, has harmed itself only.
    if (failure instanceof VirtualMachineError && !(failure instanceof StackOverflowError)) {
      abort("Nothing can be relied on after " + failure, failure);
    }
  }

  @Override
  public boolean isAborted() {
    return aborted.get();
  }

  @Override
  public void stop(String why) {
    abort(why, null);
  }

  @Override
  public boolean isStopped() {
    return aborted.get();
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
    throw new UnsupportedOperationException("A storage daemon is no client of HBase");
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
