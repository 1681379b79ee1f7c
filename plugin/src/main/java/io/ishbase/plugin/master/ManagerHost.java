package io.ishbase.plugin.master;

import io.ishbase.protocol.rpc.BareServer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master as the manager's RPC server sees it. Whatever becomes of the manager, the master goes
 * on.
 */
final class ManagerHost extends BareServer {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerHost.class);

  ManagerHost(Configuration conf, ServerName name) {
    super(conf, name);
  }

  @Override
  public void abort(String why, @Nullable Throwable failure) {
    LOG.error("The compaction manager's RPC server: {}", why, failure);
  }

  @Override
  public boolean isAborted() {
    return false;
  }
}
