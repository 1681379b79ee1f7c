package io.ishbase.plugin.scan;

import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * The order in which a scan meets cells: rows ascending, or descending if it is reversed; the cells
 * of a row in the usual one either way.
 */
record ScanOrder(CellComparator comparator, boolean reversed) {
  int compare(Cell cell, Cell key) {
    if (reversed) {
      int rows = comparator.compareRows(key, cell);
      if (rows != 0) {
        return rows;
      }
    }
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, key);
  }

  /** Whether the row of {@code cell} comes before those of {@code range}. */
  boolean isBefore(Cell cell, RowRange range) {
    int order = rows(cell, range.getStartRow());
    return !range.getStartRow().isEmpty() && (range.getIncludeStart() ? order < 0 : order <= 0);
  }

  /** Whether the row of {@code cell} comes behind those of {@code range}. */
  boolean isBehind(Cell cell, RowRange range) {
    int order = rows(cell, range.getStopRow());
    return !range.getStopRow().isEmpty() && (range.getIncludeStop() ? order > 0 : order >= 0);
  }

  private int rows(Cell cell, ByteString row) {
    int order = comparator.compareRows(cell, row.toByteArray(), 0, row.size());
    return reversed ? -order : order;
  }

  /**
   * @param file index of the cell's file in the request, for equal cells sort by file
   */
  boolean isBefore(Cell cell, int file, Position position) {
    Cell key = Positions.seekKey(position);
    int rows = comparator.compareRows(cell, key);
    return rows == 0
        ? Positions.isBefore(comparator, cell, file, key, position)
        : reversed ? rows > 0 : rows < 0;
  }
}
