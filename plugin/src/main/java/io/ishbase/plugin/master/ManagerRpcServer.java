package io.ishbase.plugin.master;

import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.rpc.PolicedRpcServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcScheduler;

/**
 * HBase's RPC server with the manager's service. A question that finds the queue full is answered
 * {@code CallQueueTooBigException}.
 *
 * <p>Relies on HBase 2.6: the server's name, which stands in the answer to a call too many, is all
 * that is asked of the {@code Server}.
 */
final class ManagerRpcServer extends PolicedRpcServer {
  /** With what the RPC adds; HBase's bound is 256 MB. */
  private static final int MAX_REQUEST_BYTES = 2 * ManagerEndpoint.MAX_BYTES;

  /**
   * Of questions that wait, which have been parsed: two bytes may stand for an object of dozens.
   * HBase's bound is 1 GB, and it is the master's heap.
   */
  private static final int MAX_QUEUED_BYTES = 32 << 20;

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
        bounded(conf, handlers + queued),
        new FifoRpcScheduler(bounded(conf, handlers + queued), handlers));
  }

  // The scheduler counts calls at work as queued.
  private static Configuration bounded(Configuration conf, int calls) {
    Configuration bounded = new Configuration(conf);
    bounded.setInt(RpcScheduler.IPC_SERVER_MAX_CALLQUEUE_LENGTH, calls);
    bounded.setInt("hbase.ipc.max.request.size", MAX_REQUEST_BYTES);
    bounded.setLong("hbase.ipc.server.max.callqueue.size", MAX_QUEUED_BYTES);
    return bounded;
  }
}
