package io.ishbase.bench;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;

/**
 * Rows and what is in them.
 *
 * @param valueBytes bytes of their values
 * @param cellBytes bytes of their cells, keys included, as HBase serialises them
 */
public record Moved(long rows, long valueBytes, long cellBytes) {
  public static final Moved NOTHING = new Moved(0, 0, 0);

  /** What a row that was read holds; nothing if it is empty. */
  public static Moved of(Result row) {
    if (row == null || row.isEmpty()) {
      return NOTHING;
    }
    long valueBytes = 0;
    long cellBytes = 0;
    for (Cell cell : row.rawCells()) {
      valueBytes += cell.getValueLength();
      cellBytes += cell.getSerializedSize();
    }
    return new Moved(1, valueBytes, cellBytes);
  }

  /** What a mutation of a row holds. */
  public static Moved of(Mutation row) {
    long valueBytes = 0;
    long cellBytes = 0;
    for (List<Cell> cells : row.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        valueBytes += cell.getValueLength();
        cellBytes += cell.getSerializedSize();
      }
    }
    return new Moved(1, valueBytes, cellBytes);
  }

  public Moved plus(Moved other) {
    return new Moved(rows + other.rows, valueBytes + other.valueBytes, cellBytes + other.cellBytes);
  }
}
