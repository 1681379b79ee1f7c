package io.ishbase.archetypes.document;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * The table of the index. The time of an entry is the version of the document for whose sake it was
 * written; see {@link Writes} for why that keeps it from being removed by others. Safe for use by
 * several threads.
 */
final class Entries {
  private static final int ROWS_AT_ONCE = 200;

  private final Connection connection;
  private final TableName name;

  Entries(Connection connection, TableName name) {
    this.connection = connection;
    this.name = name;
  }

  void add(Collection<byte[]> keys, long version) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (byte[] key : keys) {
      puts.add(new Put(key).addColumn(Layout.ENTRY, Layout.NONE, version, Layout.NONE));
    }
    if (!puts.isEmpty()) {
      try (Table table = connection.getTable(name)) {
        table.put(puts);
      }
    }
  }

  /** Removes what was written for that version or an earlier one. */
  void remove(Collection<byte[]> keys, long version) throws IOException {
    List<Delete> deletes = new ArrayList<>();
    for (byte[] key : keys) {
      deletes.add(new Delete(key).addColumns(Layout.ENTRY, Layout.NONE, version));
    }
    if (!deletes.isEmpty()) {
      try (Table table = connection.getTable(name)) {
        table.delete(deletes);
      }
    }
  }

  /** Those of {@code keys} that are not there. */
  List<byte[]> missing(List<byte[]> keys) throws IOException {
    List<Get> gets = new ArrayList<>();
    keys.forEach(key -> gets.add(new Get(key)));
    List<byte[]> missing = new ArrayList<>();
    try (Table table = connection.getTable(name)) {
      boolean[] exists = table.exists(gets);
      for (int i = 0; i < exists.length; i++) {
        if (!exists[i]) {
          missing.add(keys.get(i));
        }
      }
    }
    return missing;
  }

  /** An entry, and the version for whose sake it was written. */
  record Entry(byte[] key, long version) {}

  /** What is done with entries as a scan brings them, some at once; false ends it. */
  interface Each {
    boolean entries(List<Entry> some) throws IOException;
  }

  /** Those that {@code scan} finds. */
  void scan(Scan scan, int atOnce, Each each) throws IOException {
    int size = Math.min(atOnce, ROWS_AT_ONCE);
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan.setCaching(size))) {
      Result[] results = scanner.next(size);
      while (results.length > 0) {
        List<Entry> some = new ArrayList<>();
        for (Result result : results) {
          some.add(new Entry(result.getRow(), result.rawCells()[0].getTimestamp()));
        }
        if (!each.entries(some)) {
          return;
        }
        results = scanner.next(size);
      }
    }
  }
}
