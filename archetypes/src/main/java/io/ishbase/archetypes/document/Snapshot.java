package io.ishbase.archetypes.document;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** A row as it was at one moment: its stamp, and the columns that were asked for. */
record Snapshot(Stamp stamp, Columns columns) {
  /** Of an answer with or without large strings. */
  static Snapshot of(Result result) throws IOException {
    Columns columns = new Columns();
    if (!result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        byte[] column = CellUtil.cloneQualifier(cell);
        if (CellUtil.matchingFamily(cell, Layout.CELLS) && Layout.isPlace(column)) {
          Column small = new Column(CellUtil.cloneValue(cell), null);
          columns.put(
              Layout.place(column), small.isLarge() ? withBody(small, result, column) : small);
        }
      }
    }
    return new Snapshot(stamp(result), columns);
  }

  private static Stamp stamp(Result result) throws IOException {
    return Stamp.of(result.getValue(Layout.CELLS, Layout.STAMP));
  }

  private static Column withBody(Column column, Result result, byte[] name) {
    return new Column(column.cell(), result.getValue(Layout.LARGE, name));
  }

  /** The get of the large strings that are missing here; null if none is. */
  @Nullable Get missing(byte[] row) {
    Get get = null;
    for (Map.Entry<byte[], Column> one : columns.all().entrySet()) {
      if (one.getValue().isLarge() && one.getValue().body() == null) {
        get = get == null ? new Get(row).addColumn(Layout.CELLS, Layout.STAMP) : get;
        get.addColumn(Layout.LARGE, Layout.column(one.getKey()));
      }
    }
    return get;
  }

  /**
   * Adds what {@link #missing} brought.
   *
   * @return whether it is of the same moment
   */
  boolean add(Result large) throws IOException {
    if (!Arrays.equals(stamp.cell(), stamp(large).cell())) {
      return false;
    }
    for (Map.Entry<byte[], Column> one : columns.all().entrySet()) {
      if (one.getValue().isLarge()) {
        one.setValue(withBody(one.getValue(), large, Layout.column(one.getKey())));
      }
    }
    return true;
  }
}
