package io.ishbase.plugin.trace;

import io.ishbase.core.trace.Neighbourhoods;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners.Watch;

/**
 * Records a Scan as one Scan for each stretch of rows whose neighbourhoods are recorded: what
 * another neighbourhood was asked for is left out, here as for Gets. A stretch is recorded when the
 * Scan leaves it, with its lowest row.
 */
final class ScanWatch implements Watch {
  private static final int USUAL_ROW_BYTES = 64;

  private final RegionRecorder recorder;
  private final Neighbourhoods neighbourhoods;
  private final boolean isReversed;
  private final byte[] start;

  /** The row that was given last, its first {@code lastLength} bytes; negative: there is none. */
  private byte[] last = new byte[USUAL_ROW_BYTES];

  private int lastLength = -1;

  /** Another array for the next row. */
  private byte[] next = new byte[USUAL_ROW_BYTES];

  /** Whether the last row is recorded. */
  private boolean isIn;

  /** The first row of the stretch. */
  private byte[] first = {};

  private long rows;
  private long cells;
  private long bytes;
  private boolean isClosed;

  /**
   * @param start where it begins, for a Scan that finds nothing
   */
  ScanWatch(
      RegionRecorder recorder, Neighbourhoods neighbourhoods, boolean isReversed, byte[] start) {
    this.recorder = recorder;
    this.neighbourhoods = neighbourhoods;
    this.isReversed = isReversed;
    this.start = start;
  }

  @Override
  public void gave(List<Cell> given) {
    Cell cell = given.get(0);
    int length = cell.getRowLength();
    if (next.length < length) {
      next = new byte[2 * length];
    }
    CellUtil.copyRowTo(cell, next, 0);
    if (lastLength < 0 || !Arrays.equals(last, 0, lastLength, next, 0, length)) {
      begin(length);
    }
    if (isIn) {
      cells += given.size();
      bytes += RegionRecorder.bytes(given);
    }
  }

  /** A row that has not been given before, {@code next}. */
  private void begin(int length) {
    if (lastLength < 0 || !neighbourhoods.areTogether(last, lastLength, next, length)) {
      boolean isNextIn = neighbourhoods.has(next, length);
      if (isIn && !isNextIn) {
        end();
      }
      isIn = isNextIn;
    }
    byte[] spare = last;
    last = next;
    lastLength = length;
    next = spare;
    if (isIn && rows++ == 0) {
      first = Arrays.copyOf(last, length);
    }
  }

  private void end() {
    byte[] lowest = isReversed ? last : first;
    recorder.add(
        Operation.SCAN, lowest, isReversed ? lastLength : first.length, rows, cells, bytes);
    rows = 0;
    cells = 0;
    bytes = 0;
  }

  @Override
  public void closed() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (rows > 0) {
      end();
    } else if (lastLength < 0 && neighbourhoods.has(start, start.length)) {
      recorder.add(Operation.SCAN, start, start.length, 0, 0, 0);
    }
  }
}
