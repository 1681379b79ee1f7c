package io.ishbase.plugin.hbase;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * How many rows a client takes at most at a time. Its limit is not part of the Scan that the region
 * sees, but of the call that brings it.
 *
 * <p>Relies on HBase 2.6: {@code RpcServer.getCurrentCall} gives the call that the thread works on.
 */
public final class RowLimit {
  /** More rows than a client takes at once: its way to say all. */
  private static final int NO_LIMIT = 100_000;

  private RowLimit() {}

  /** The limit for {@code scan} in the call that this thread works on; 0: unknown. */
  public static int of(Scan scan) {
    int limit = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
    if (scan.getCaching() > 0) {
      limit = Math.min(limit, scan.getCaching());
    }
    Optional<Message> call = RpcServer.getCurrentCall().map(RpcCall::getParam);
    if (call.isPresent() && call.get() instanceof ScanRequest request) {
      if (request.getLimitOfRows() > 0) {
        limit = Math.min(limit, request.getLimitOfRows());
      }
      if (request.getNumberOfRows() > 0) {
        limit = Math.min(limit, request.getNumberOfRows());
      }
    }
    return limit < NO_LIMIT ? limit : 0;
  }
}
