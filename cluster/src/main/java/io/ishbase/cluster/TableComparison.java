package io.ishbase.cluster;

import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Reads a whole table in both modes at once and compares cell by cell. */
public final class TableComparison {
  private static final long PARTIAL_RESULT_BYTES = 2 << 20;

  private final Connection connection;
  private final TableName name;
  private long rows;
  private long cells;
  private long bytes;
  private String difference;

  public TableComparison(Connection connection, TableName name) {
    this.connection = connection;
    this.name = name;
  }

  /** Rows that were equal. */
  public long rows() {
    return rows;
  }

  /** Cells that were equal. */
  public long cells() {
    return cells;
  }

  /** Bytes of keys and values that were equal. */
  public long bytes() {
    return bytes;
  }

  /** The first difference, in words; null if there is none. */
  public String difference() {
    return difference;
  }

  /**
   * Compares all versions that a reader may see.
   *
   * @param raw compare delete markers and what they hide, too
   * @return whether all cells are equal
   */
  public boolean run(boolean raw) throws IOException {
    try (Admin admin = connection.getAdmin();
        Table table = connection.getTable(name);
        ResultScanner stock = table.getScanner(scan(Mode.STOCK, raw));
        ResultScanner inStorage = table.getScanner(scan(Mode.IN_STORAGE, raw));
        Progress progress =
            new Progress("comparing " + name + (raw ? ", raw" : ""), Tables.bytes(admin, name))) {
      Cells left = new Cells(stock);
      Cells right = new Cells(inStorage);
      Cell last = null;
      while (left.hasNext() && right.hasNext()) {
        Cell a = left.next();
        Cell b = right.next();
        if (!equal(a, b)) {
          difference = "stock has " + describe(a) + ", in-storage has " + describe(b);
          return false;
        }
        if (last == null || !CellUtil.matchingRows(last, a)) {
          rows++;
        }
        last = a;
        cells++;
        bytes += a.getSerializedSize();
        progress.add(a.getSerializedSize());
      }
      if (left.hasNext()) {
        difference = "in-storage lacks " + describe(left.next());
      } else if (right.hasNext()) {
        difference = "stock lacks " + describe(right.next());
      }
      return difference == null;
    }
  }

  private static Scan scan(Mode mode, boolean raw) {
    return mode.on(
        new Scan()
            .readAllVersions()
            .setRaw(raw)
            .setCacheBlocks(false)
            .setAllowPartialResults(true)
            .setMaxResultSize(PARTIAL_RESULT_BYTES));
  }

  private static boolean equal(Cell a, Cell b) {
    return CellUtil.matchingRows(a, b)
        && CellUtil.matchingFamily(a, b)
        && CellUtil.matchingQualifier(a, b)
        && a.getTimestamp() == b.getTimestamp()
        && a.getType() == b.getType()
        && CellUtil.matchingValue(a, b);
  }

  private static String describe(Cell cell) {
    return CellUtil.getCellKeyAsString(cell)
        + " with a value of "
        + cell.getValueLength()
        + " bytes";
  }

  /** The cells of a scanner, one after the other. */
  private static final class Cells implements Iterator<Cell> {
    private final ResultScanner scanner;
    private Cell[] current = {};
    private int next;

    Cells(ResultScanner scanner) {
      this.scanner = scanner;
    }

    @Override
    public boolean hasNext() {
      try {
        while (next == current.length) {
          Result result = scanner.next();
          if (result == null) {
            return false;
          }
          current = result.rawCells();
          next = 0;
        }
        return true;
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    @Override
    public Cell next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return current[next++];
    }
  }
}
