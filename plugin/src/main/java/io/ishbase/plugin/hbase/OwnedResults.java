package io.ishbase.plugin.hbase;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.jspecify.annotations.Nullable;

/**
 * Results of increments and appends that outlive the request that asked for them.
 *
 * <p>Works around HBase 2.6: the first increment or append of a column gives the request's own cell
 * as its result, and {@code CallRunner} gives the request's memory back before the answer is
 * encoded from it. A client then gets what others have written there meanwhile, or the region
 * server reads memory that it no longer has, and ends with SIGSEGV.
 */
public final class OwnedResults {
  private OwnedResults() {}

  /** Copies cells that lie in the memory of a request onto the heap, in place. */
  public static void own(OperationStatus[] changes) {
    for (int i = 0; i < changes.length; i++) {
      Result result = changes[i].getResult();
      if (isBorrowed(result)) {
        List<Cell> cells =
            Arrays.stream(result.rawCells()).map(CellUtil::cloneIfNecessary).toList();
        changes[i] = new OperationStatus(changes[i].getOperationStatusCode(), Result.create(cells));
      }
    }
  }

  private static boolean isBorrowed(@Nullable Result result) {
    return result != null
        && result.rawCells() != null
        && Arrays.stream(result.rawCells()).anyMatch(ByteBufferExtendedCell.class::isInstance);
  }
}
