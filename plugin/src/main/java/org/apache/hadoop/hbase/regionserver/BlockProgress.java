package org.apache.hadoop.hbase.regionserver;

import io.ishbase.protocol.ReleaseAdapter;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that a scan's own count of blocks has what its call has: HBase counts both where it
 * takes a cell, and of what a daemon read behind the last one there is none. In this package
 * because of what a {@code ScannerContext} of HBase 2.6 counts; HBase 2.5 counts nothing.
 */
@NullMarked
final class BlockProgress {
  /** The call that opens the scanner; null: none does, or a step was taken. */
  private @Nullable RpcCall opening = RpcServer.getCurrentCall().orElse(null);

  private final long beforeOpening = opening == null ? 0 : opening.getBlockBytesScanned();

  /** Of a scanner that is about to be opened. */
  private BlockProgress() {}

  /** Null: the scan's client does not ask what was read for it. */
  static @Nullable BlockProgress of(Scan scan) {
    return ReleaseAdapter.asksWhatIsRead(scan) ? new BlockProgress() : null;
  }

  /** Takes a step of the scanner. */
  boolean next(WatchedRegionScanners.Step step, List<Cell> result, ScannerContext context)
      throws IOException {
    RpcCall call = RpcServer.getCurrentCall().orElse(null);
    if (call == null) {
      return step.take(result, context);
    }
    // An opened scanner has looked for its first cell.
    long before =
        (call == opening ? beforeOpening : call.getBlockBytesScanned())
            - context.getBlockSizeProgress();
    opening = null;
    boolean hasMore = step.take(result, context);
    long missing = call.getBlockBytesScanned() - context.getBlockSizeProgress() - before;
    context.incrementBlockProgress((int) Math.min(missing, Integer.MAX_VALUE));
    return hasMore;
  }
}
