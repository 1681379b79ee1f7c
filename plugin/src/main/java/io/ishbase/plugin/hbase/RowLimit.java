package io.ishbase.plugin.hbase;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * How many rows a client takes. Its limits are not part of the Scan that the region sees, but of
 * the call that brings it.
 *
 * <p>Relies on HBase 2.6: {@code RpcServer.getCurrentCall} gives the call that the thread works on.
 *
 * @param atATime rows of a call, at most; 0: unknown
 * @param inAll rows of the scan, at most; 0: unknown
 */
public record RowLimit(int atATime, int inAll) {
  public static final RowLimit UNKNOWN = new RowLimit(0, 0);

  /** More rows than a client takes at once: its way to say all. */
  private static final int NO_LIMIT = 100_000;

  /** That of {@code scan} in the call that this thread works on. */
  public static RowLimit of(Scan scan) {
    int inAll = Math.max(0, scan.getLimit());
    int atATime = Math.max(0, scan.getCaching());
    Optional<Message> call = RpcServer.getCurrentCall().map(RpcCall::getParam);
    if (call.isPresent() && call.get() instanceof ScanRequest request) {
      inAll = lesser(inAll, request.getLimitOfRows());
      atATime = lesser(atATime, request.getNumberOfRows());
    }
    atATime = lesser(atATime, inAll);
    return new RowLimit(atATime < NO_LIMIT ? atATime : 0, inAll);
  }

  /** The same, of a read that ends after so many rows. */
  public RowLimit within(int rows) {
    return new RowLimit(lesser(atATime, rows), lesser(inAll, rows));
  }

  /** Of limits, of which those that are not positive say nothing. */
  private static int lesser(int one, int other) {
    return one <= 0 || other <= 0 ? Math.max(0, Math.max(one, other)) : Math.min(one, other);
  }
}
