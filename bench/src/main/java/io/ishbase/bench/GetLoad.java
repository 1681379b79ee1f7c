package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Gets of rows or of one column each, one by one or in batches; every value is checked. */
public final class GetLoad implements Load {
  private final YcsbTable table;
  private final int batch;
  private final Mode mode;

  /** None: all. */
  private final List<String> columns;

  private final IntFunction<LongSupplier> draws;

  /**
   * A load.
   *
   * @param batch rows of one operation; 1: plain Gets
   */
  public GetLoad(YcsbTable table, Keys keys, int batch, Mode mode, long seed) {
    this(table, keys, batch, mode, seed, List.of());
  }

  private GetLoad(
      YcsbTable table, Keys keys, int batch, Mode mode, long seed, List<String> columns) {
    this.table = table;
    this.columns = columns;
    this.batch = batch;
    this.mode = mode;
    this.draws = keys.ongoingDraws(seed);
  }

  /** Gets of the column in the middle of each row. */
  public static GetLoad ofOneColumn(YcsbTable table, Keys keys, Mode mode, long seed) {
    List<String> columns = table.columns();
    String middle = columns.get(columns.size() / 2);
    return new GetLoad(table, keys, 1, mode, seed, List.of(middle));
  }

  @Override
  public Client open(int worker) throws IOException {
    Table open = table.open();
    LongSupplier rows = draws.apply(worker);
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        if (batch == 1) {
          get(open, rows.getAsLong(), tally);
          return;
        }
        List<Get> gets = new ArrayList<>(batch);
        for (int i = 0; i < batch; i++) {
          gets.add(get(rows.getAsLong()));
        }
        Result[] found = open.get(gets);
        for (int i = 0; i < batch; i++) {
          take(gets.get(i), found[i], tally);
        }
      }

      @Override
      public void close() throws IOException {
        open.close();
      }
    };
  }

  /** Gets the row of that number. */
  void get(Table open, long row, Tally tally) throws IOException {
    Get get = get(row);
    take(get, open.get(get), tally);
  }

  private Get get(long row) {
    Get get = new Get(table.key(row));
    if (columns.isEmpty()) {
      table.families().forEach(get::addFamily);
    }
    columns.forEach(column -> get.addColumn(table.family(column), Bytes.toBytes(column)));
    return mode.on(get);
  }

  private void take(Get get, Result row, Tally tally) throws IOException {
    table.checkKey(row, get.getRow());
    table.checkAll(row, columns.isEmpty() ? table.shape().fields() : columns.size());
    for (String column : columns) {
      if (!row.containsColumn(table.family(column), Bytes.toBytes(column))) {
        throw new WrongAnswerException("another column came than " + column);
      }
    }
    tally.read(Moved.of(row));
  }
}
