package io.ishbase.archetypes.document;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Reads rows of documents. Safe for use by several threads. */
final class Rows {
  private static final int ROWS_AT_ONCE = 100;

  private final Connection connection;
  private final TableName name;

  Rows(Connection connection, TableName name) {
    this.connection = connection;
    this.name = name;
  }

  Snapshot get(byte[] id, Selection selection) throws IOException {
    try (Table table = connection.getTable(name)) {
      return complete(table, id, selection, Snapshot.of(table.get(selection.get(id))));
    }
  }

  /**
   * With the large strings, which are read only where there are some: their family costs a read of
   * its own, over blocks.
   */
  private static Snapshot complete(Table table, byte[] id, Selection selection, Snapshot read)
      throws IOException {
    Get missing = read.missing(id);
    return missing == null || read.add(table.get(missing))
        ? read
        // The document was written in between: all at once.
        : Snapshot.of(table.get(selection.getWithLarge(id)));
  }

  /** In the order of {@code ids}. */
  List<Snapshot> get(List<byte[]> ids, Selection selection) throws IOException {
    List<Snapshot> snapshots = new ArrayList<>(ids.size());
    try (Table table = connection.getTable(name)) {
      for (int from = 0; from < ids.size(); from += ROWS_AT_ONCE) {
        List<Get> gets = new ArrayList<>();
        ids.subList(from, Math.min(ids.size(), from + ROWS_AT_ONCE))
            .forEach(id -> gets.add(selection.get(id)));
        for (Result result : table.get(gets)) {
          byte[] id = ids.get(snapshots.size());
          snapshots.add(complete(table, id, selection, Snapshot.of(result)));
        }
      }
    }
    return snapshots;
  }

  /** What is done with rows as a scan brings them. */
  interface Each {
    void row(byte[] id, Snapshot snapshot) throws IOException;
  }

  /** All rows of documents that are there. */
  void scan(Selection selection, Each each) throws IOException {
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(selection.scan().setCaching(ROWS_AT_ONCE))) {
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        byte[] id = result.getRow();
        Snapshot snapshot = complete(table, id, selection, Snapshot.of(result));
        if (snapshot.stamp().live()) {
          each.row(id, snapshot);
        }
      }
    }
  }

  /** A row's name as an id. */
  static String id(byte[] row) {
    return Bytes.toString(row);
  }
}
