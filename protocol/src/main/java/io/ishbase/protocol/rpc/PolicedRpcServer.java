package io.ishbase.protocol.rpc;

import io.ishbase.protocol.ServicePolicy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.ipc.NettyRpcServer;
import org.apache.hadoop.hbase.ipc.RpcScheduler;
import org.apache.hadoop.hbase.security.token.AuthenticationTokenSecretManager;
import org.jspecify.annotations.Nullable;

/**
 * HBase's RPC server with services of ours, which judges callers by their policy.
 *
 * <p>Relies on HBase 2.6: {@code NettyRpcServer.start}, which sets HBase's own policy, and {@code
 * createSecretManager}.
 */
public class PolicedRpcServer extends NettyRpcServer {
  protected PolicedRpcServer(
      Server host,
      String name,
      List<BlockingServiceAndInterface> services,
      InetSocketAddress address,
      Configuration conf,
      RpcScheduler scheduler)
      throws IOException {
    super(host, name, services, address, strict(conf), scheduler, true);
  }

  // With this HBase lets in whoever claims a name, for the time in which clients do not have
  // Kerberos yet. Who calls us is a server of HBase, and has.
  private static Configuration strict(Configuration conf) {
    Configuration strict = new Configuration(conf);
    strict.setBoolean(FALLBACK_TO_INSECURE_CLIENT_AUTH, false);
    return strict;
  }

  @Override
  public synchronized void start() {
    super.start();
    if (conf.getBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false)) {
      refreshAuthManager(conf, new ServicePolicy());
    }
  }

  // Region servers come with Kerberos; tokens are for users' jobs.
  @Override
  protected @Nullable AuthenticationTokenSecretManager createSecretManager() {
    return null;
  }
}
