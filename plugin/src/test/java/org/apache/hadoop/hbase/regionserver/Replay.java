package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALSplitUtil.MutationReplay;

/**
 * Replicates an entry of a primary's log to a secondary replica, as its region server would. In
 * HBase's package because what takes flushes and compactions over is not public.
 */
public final class Replay {
  private Replay() {}

  /**
   * Applies one entry.
   *
   * @param sequenceId of the entry at the primary
   */
  public static void entry(HRegion replica, WALEdit edit, long sequenceId) throws IOException {
    List<MutationReplay> mutations = new ArrayList<>();
    for (Cell cell : edit.getCells()) {
      if (CellUtil.matchingFamily(cell, WALEdit.METAFAMILY)) {
        marker(replica, cell, sequenceId);
      } else {
        boolean isDelete = CellUtil.isDelete(cell);
        mutations.add(
            new MutationReplay(
                isDelete ? MutationType.DELETE : MutationType.PUT,
                isDelete ? delete(cell) : put(cell),
                HConstants.NO_NONCE,
                HConstants.NO_NONCE));
      }
    }
    if (!mutations.isEmpty()) {
      replica.batchReplay(mutations.toArray(MutationReplay[]::new), sequenceId);
    }
  }

  private static Mutation put(Cell cell) throws IOException {
    return new Put(CellUtil.cloneRow(cell)).add(cell);
  }

  private static Mutation delete(Cell cell) throws IOException {
    return new Delete(CellUtil.cloneRow(cell)).add(cell);
  }

  private static void marker(HRegion replica, Cell cell, long sequenceId) throws IOException {
    if (WALEdit.getFlushDescriptor(cell) != null) {
      replica.replayWALFlushMarker(WALEdit.getFlushDescriptor(cell), sequenceId);
    } else if (WALEdit.getCompaction(cell) != null) {
      replica.replayWALCompactionMarker(WALEdit.getCompaction(cell), true, false, sequenceId);
    } else if (WALEdit.getBulkLoadDescriptor(cell) != null) {
      replica.replayWALBulkLoadEventMarker(WALEdit.getBulkLoadDescriptor(cell));
    } else if (WALEdit.getRegionEventDescriptor(cell) != null) {
      replica.replayWALRegionEventMarker(WALEdit.getRegionEventDescriptor(cell));
    }
  }
}
