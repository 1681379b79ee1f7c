package io.ishbase.daemon.compaction;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.jspecify.annotations.Nullable;

/**
 * Tells of blocks that follow one another whether a compaction writes each of their cells, and as
 * it is. It errs on the other side: where there is a marker, or a cell that may expire by itself,
 * it says no.
 *
 * <p>What HBase's matcher does with a cell is decided by the cells before it in its row: markers,
 * of which there are none, and versions of its column, which are counted here as there. So a block
 * stays whatever comes behind it.
 */
final class StayingCells {
  static final long KEEPS_SEQUENCE_IDS = -1;

  private final long oldestUnexpired;
  private final int maxVersions;
  private final long cleansUpTo;
  private @Nullable Cell previous;
  private int versions;

  /**
   * For blocks before whose first row nothing of that row was.
   *
   * @param now when the compaction began, in milliseconds since 1970
   * @param cleansUpTo sequence ids that the compaction writes as 0; {@link #KEEPS_SEQUENCE_IDS}
   */
  StayingCells(ScanInfo family, long now, long cleansUpTo) {
    this.oldestUnexpired = now - family.getTtl();
    this.maxVersions = family.getMaxVersions();
    this.cleansUpTo = cleansUpTo;
  }

  /**
   * Whether all cells of the next block stay. After a no, there is no next.
   *
   * @param cells in their order
   */
  boolean allStay(List<Cell> cells) {
    for (Cell cell : cells) {
      if (!stays(cell)) {
        return false;
      }
      previous = cell;
    }
    return true;
  }

  private boolean stays(Cell cell) {
    if (!CellUtil.isPut(cell)
        || cell.getTimestamp() < oldestUnexpired
        || isCleaned(cell.getSequenceId())) {
      return false;
    }
    if (cell.getTagsLength() > 0
        && PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE).isPresent()) {
      return false;
    }
    if (previous == null || !CellUtil.matchingRowColumn(previous, cell)) {
      versions = 1;
      return true;
    }
    return ++versions <= maxVersions && cell.getTimestamp() != previous.getTimestamp();
  }

  private boolean isCleaned(long sequenceId) {
    return sequenceId > 0 && sequenceId <= cleansUpTo;
  }
}
