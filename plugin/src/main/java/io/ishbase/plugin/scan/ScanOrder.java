package io.ishbase.plugin.scan;

import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.PrivateCellUtil;

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
