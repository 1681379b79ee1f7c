package io.ishbase.daemon.rpc;

import io.ishbase.protocol.ServicePolicy;
import io.ishbase.protocol.rpc.PolicedRpcServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcScheduler;
import org.apache.hadoop.hbase.monitoring.MonitoredRPCHandler;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ConnectionHeader;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HBase's RPC server with the daemon's services: judges callers by their own policy, says at WARN
 * whom it turned away, parses no request of too many parts ({@link BoundedService}), and ends the
 * daemon at an error after which nothing can be relied on.
 *
 * <p>Relies on HBase 2.6: {@code RpcServer.call}, which wraps what a service throws into an
 * IOException.
 */
public final class IssnRpcServer extends PolicedRpcServer {
  private static final Logger LOG = LoggerFactory.getLogger(IssnRpcServer.class);

  private final RpcHost host;

  public IssnRpcServer(
      RpcHost host,
      List<BlockingServiceAndInterface> services,
      InetSocketAddress address,
      Configuration conf,
      RpcScheduler scheduler)
      throws IOException {
    super(host, "issn", bounded(services), address, conf, scheduler);
    this.host = host;
    setErrorHandler(
        error -> {
          host.endIfFatal(error);
          return true;
        });
  }

  private static List<BlockingServiceAndInterface> bounded(
      List<BlockingServiceAndInterface> services) {
    return services.stream()
        .map(
            each ->
                new BlockingServiceAndInterface(
                    new BoundedService(each.getBlockingService()), each.getServiceInterface()))
        .toList();
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void authorize(UserGroupInformation user, ConnectionHeader connection, InetAddress address)
      throws AuthorizationException {
    try {
      super.authorize(user, connection, address);
    } catch (AuthorizationException e) {
      if (!isStopping()) {
        LOG.warn(
            "Refused {} from {} as a caller of {}: {}. {} in hbase-policy.xml says who may call",
            user,
            address,
            connection.getServiceName(),
            e.getMessage(),
            ServicePolicy.KEY);
      }
      throw e;
    }
  }

  @Override
  public Pair<Message, CellScanner> call(RpcCall call, MonitoredRPCHandler status)
      throws IOException {
    try {
      return super.call(call, status);
    } catch (IOException e) {
      host.endIfFatal(e.getCause());
      throw e;
    }
  }
}
