package io.ishbase.plugin.master;

import io.ishbase.protocol.ServicePolicy;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.NettyRpcServer;
import org.apache.hadoop.hbase.ipc.RpcScheduler;
import org.apache.hadoop.hbase.security.token.AuthenticationTokenSecretManager;
import org.jspecify.annotations.Nullable;

/**
 * HBase's RPC server with the manager's service. A question that finds the queue full is answered
 * {@code CallQueueTooBigException}.
 *
 * <p>Relies on HBase 2.6: {@code NettyRpcServer.start}, which sets HBase's own policy, {@code
 * createSecretManager}, and that the server's name, which stands in the answer to a call too many,
 * is all that is asked of the {@code Server}.
 */
final class ManagerRpcServer extends NettyRpcServer {
  /**
   * @param name of the master
   * @param handlers questions that are answered at once
   * @param queued questions that may wait
   */
  ManagerRpcServer(
      ServerName name,
      ManagerService.BlockingInterface endpoint,
      InetSocketAddress address,
      Configuration conf,
      int handlers,
      int queued)
      throws IOException {
    super(
        new ManagerHost(conf, name),
        "ishbase-manager",
        List.of(
            new BlockingServiceAndInterface(
                ManagerService.newReflectiveBlockingService(endpoint),
                ManagerService.BlockingInterface.class)),
        address,
        conf,
        new FifoRpcScheduler(withQueue(conf, handlers + queued), handlers),
        true);
  }

  // The scheduler counts calls at work as queued.
  private static Configuration withQueue(Configuration conf, int calls) {
    Configuration ofQueue = new Configuration(conf);
    ofQueue.setInt(RpcScheduler.IPC_SERVER_MAX_CALLQUEUE_LENGTH, calls);
    return ofQueue;
  }

  @Override
  public synchronized void start() {
    super.start();
    if (conf.getBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false)) {
      refreshAuthManager(conf, new ServicePolicy());
    }
  }

  // Region servers come with Kerberos; the master has a manager of users' tokens already.
  @Override
  protected @Nullable AuthenticationTokenSecretManager createSecretManager() {
    return null;
  }
}
