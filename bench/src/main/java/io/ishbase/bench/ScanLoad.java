package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans of so many rows, each from a drawn row on; answers are checked. */
public final class ScanLoad implements Load {
  private final YcsbTable table;
  private final int rows;
  private final Filter filter;
  private final int columns;
  private final Mode mode;
  private final IntFunction<LongSupplier> draws;

  /** A load that reads whole rows. */
  public ScanLoad(YcsbTable table, Keys keys, int rows, Mode mode, long seed) {
    this(table, keys, rows, null, table.shape().fields(), mode, seed);
  }

  /**
   * A load with a filter.
   *
   * @param filter null: none
   * @param columns that it leaves of each row
   */
  public ScanLoad(
      YcsbTable table, Keys keys, int rows, Filter filter, int columns, Mode mode, long seed) {
    this.table = table;
    this.rows = rows;
    this.filter = filter;
    this.columns = columns;
    this.mode = mode;
    this.draws = keys.ongoingDraws(seed);
  }

  @Override
  public Client open(int worker) throws IOException {
    Table open = table.open();
    LongSupplier starts = draws.apply(worker);
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        scan(open, starts.getAsLong(), rows, tally);
      }

      @Override
      public void close() throws IOException {
        open.close();
      }
    };
  }

  /** Scans {@code count} rows from that of number {@code first} on; fewer at the table's end. */
  void scan(Table open, long first, int count, Tally tally) throws IOException {
    Scan scan =
        mode.on(
            new Scan()
                .withStartRow(table.key(first))
                .setFilter(filter)
                .setLimit(count)
                .setCaching(count));
    table.families().forEach(scan::addFamily);
    byte[][] keys = table.orderedKeys();
    int next = Arrays.binarySearch(keys, table.key(first), Bytes.BYTES_COMPARATOR);
    int end = Math.min(keys.length, next + count);
    try (ResultScanner scanner = open.getScanner(scan)) {
      for (Result row : scanner) {
        table.check(row, columns);
        if (next == end) {
          throw new WrongAnswerException("a scan of " + count + " rows goes on");
        }
        table.checkKey(row, keys[next++]);
        tally.read(Moved.of(row));
      }
    }
    if (next != end) {
      throw new WrongAnswerException(
          "a scan of " + count + " rows ended " + (end - next) + " before its last");
    }
  }
}
