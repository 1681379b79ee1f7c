package io.ishbase.dist;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/** A column as the command line writes it; bytes that cannot be printed are {@code \xHH}. */
record Column(byte[] family, byte[] qualifier) {
  /**
   * What {@code FAMILY:QUALIFIER} names.
   *
   * @throws CliException if there is no colon, or what is not ASCII
   */
  static Column of(String text) {
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new CliException("A column is FAMILY:QUALIFIER, not '" + text + "'");
    }
    return new Column(
        BinaryText.of("family", text.substring(0, colon)),
        BinaryText.of("qualifier", text.substring(colon + 1)));
  }

  /** Prints a row, a line for each cell. */
  static void print(Result row) {
    for (Cell cell : row.rawCells()) {
      System.out.println(
          Bytes.toStringBinary(CellUtil.cloneRow(cell))
              + "  "
              + Bytes.toStringBinary(CellUtil.cloneFamily(cell))
              + ":"
              + Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
              + "  "
              + cell.getTimestamp()
              + "  "
              + Bytes.toStringBinary(CellUtil.cloneValue(cell)));
    }
  }
}
