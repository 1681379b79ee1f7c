package io.ishbase.plugin.trace;

import io.ishbase.core.trace.TraceEntry.Operation;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners.Watch;

/** Records a Get when its scanner is closed, which is after its answer was sent. */
final class GetWatch implements Watch {
  private final RegionRecorder recorder;
  private final byte[] row;
  private long cells;
  private long bytes;
  private boolean isClosed;

  GetWatch(RegionRecorder recorder, byte[] row) {
    this.recorder = recorder;
    this.row = row;
  }

  @Override
  public void gave(List<Cell> given) {
    cells += given.size();
    bytes += RegionRecorder.bytes(given);
  }

  @Override
  public void closed() {
    if (!isClosed) {
      isClosed = true;
      recorder.add(Operation.GET, row, row.length, 1, cells, bytes);
    }
  }
}
