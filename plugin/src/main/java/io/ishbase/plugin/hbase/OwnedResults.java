package io.ishbase.plugin.hbase;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.OperationStatus;

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

  /**
   * Copies results that have cells, in place: of a cell on the heap nobody can see whether it lies
   * in the memory of a request ({@code hbase.netty.rpcserver.allocator} = {@code heap} pools
   * arrays).
   */
  public static void own(OperationStatus[] changes) {
    for (int i = 0; i < changes.length; i++) {
      Result result = changes[i].getResult();
      if (result != null && !result.isEmpty()) {
        List<Cell> cells =
            Arrays.stream(result.rawCells()).<Cell>map(KeyValueUtil::copyToNewKeyValue).toList();
        changes[i] = new OperationStatus(changes[i].getOperationStatusCode(), Result.create(cells));
      }
    }
  }
}
