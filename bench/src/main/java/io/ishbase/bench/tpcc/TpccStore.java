package io.ishbase.bench.tpcc;

import io.ishbase.bench.tpcc.TpccRow.Writer;
import io.ishbase.bench.tpcc.TpccSchema.Column;
import io.ishbase.bench.tpcc.TpccSchema.Table;
import io.ishbase.cluster.Mode;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/** The tables as one terminal uses them. Not thread-safe. */
final class TpccStore implements Closeable {
  private final Mode mode;
  private final Map<Table, org.apache.hadoop.hbase.client.Table> tables =
      new EnumMap<>(Table.class);

  /**
   * A view that reads in {@code mode}.
   *
   * @param connection stays the caller's
   */
  TpccStore(Connection connection, Mode mode) throws IOException {
    this.mode = mode;
    for (Table table : Table.values()) {
      tables.put(table, connection.getTable(table.tableName()));
    }
  }

  /** The row, empty if there is none; all its columns if none is named. */
  TpccRow get(Table table, byte[] key, Column... columns) throws IOException {
    return new TpccRow(tables.get(table).get(newGet(key, columns)));
  }

  /** The rows in the order of their keys in the list. */
  List<TpccRow> get(Table table, List<byte[]> keys, Column... columns) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (byte[] key : keys) {
      gets.add(newGet(key, columns));
    }
    List<TpccRow> rows = new ArrayList<>();
    for (Result result : tables.get(table).get(gets)) {
      rows.add(new TpccRow(result));
    }
    return rows;
  }

  private Get newGet(byte[] key, Column... columns) {
    Get get = new Get(key);
    for (Column column : columns) {
      get.addColumn(TpccSchema.FAMILY, column.bytes());
    }
    return mode.on(get);
  }

  /** All rows whose keys begin with {@code prefix}. */
  List<TpccRow> scan(Table table, byte[] prefix, Column... columns) throws IOException {
    return scan(table, new Scan().setStartStopRowForPrefixScan(prefix), columns);
  }

  /** All rows from one key, included, to another, excluded. */
  List<TpccRow> scan(Table table, byte[] from, byte[] to, Column... columns) throws IOException {
    return scan(table, new Scan().withStartRow(from).withStopRow(to), columns);
  }

  /** The first row whose key begins with {@code prefix}; null if there is none. */
  TpccRow first(Table table, byte[] prefix) throws IOException {
    List<TpccRow> rows = scan(table, new Scan().setStartStopRowForPrefixScan(prefix).setLimit(1));
    return rows.isEmpty() ? null : rows.get(0);
  }

  private List<TpccRow> scan(Table table, Scan scan, Column... columns) throws IOException {
    for (Column column : columns) {
      scan.addColumn(TpccSchema.FAMILY, column.bytes());
    }
    List<TpccRow> rows = new ArrayList<>();
    try (ResultScanner scanner = tables.get(table).getScanner(mode.on(scan))) {
      for (Result result : scanner) {
        rows.add(new TpccRow(result));
      }
    }
    return rows;
  }

  void put(Table table, Writer row) throws IOException {
    tables.get(table).put(row.put());
  }

  void put(Table table, List<Writer> rows) throws IOException {
    List<Put> puts = new ArrayList<>();
    rows.forEach(row -> puts.add(row.put()));
    tables.get(table).put(puts);
  }

  void delete(Table table, byte[] key) throws IOException {
    tables.get(table).delete(new Delete(key));
  }

  @Override
  public void close() throws IOException {
    for (org.apache.hadoop.hbase.client.Table table : tables.values()) {
      table.close();
    }
  }
}
