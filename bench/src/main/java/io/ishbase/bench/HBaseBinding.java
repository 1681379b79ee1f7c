package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB's view of HBase. One thread uses one instance; instances may share a connection. Usable by
 * YCSB's own client too, by class name, with the properties {@code columnfamily}, {@code
 * clientbuffering}, {@code ishbase.read} and any of HBase's that starts with {@code hbase.}.
 */
public class HBaseBinding extends DB {
  private Connection connection;
  private boolean ownsConnection;
  private Mode mode;
  private byte[] family;
  private boolean buffered;
  private String tableName;
  private Table table;
  private BufferedMutator mutator;
  private Tally tally = new Tally();
  private IOException lastFailure;

  /** For YCSB, which calls {@link #setProperties} and {@link #init} next. */
  public HBaseBinding() {}

  /**
   * An instance on a connection that stays the caller's.
   *
   * @param mode how reads are answered; null: as the table is configured
   * @param buffered whether inserts are sent in batches, the last of them by {@link #cleanup}
   */
  public HBaseBinding(Connection connection, String family, Mode mode, boolean buffered) {
    this.connection = connection;
    this.family = Bytes.toBytes(family);
    this.mode = mode;
    this.buffered = buffered;
  }

  @Override
  public void init() throws DBException {
    if (connection != null) {
      return;
    }
    Configuration conf = HBaseConfiguration.create();
    getProperties()
        .forEach(
            (key, value) -> {
              if (key.toString().startsWith("hbase.")) {
                conf.set(key.toString(), value.toString());
              }
            });
    String read = getProperties().getProperty("ishbase.read");
    mode = read == null ? null : Mode.of(read);
    family = Bytes.toBytes(getProperties().getProperty("columnfamily", YcsbTable.FAMILY));
    buffered = Boolean.parseBoolean(getProperties().getProperty("clientbuffering", "false"));
    try {
      connection = ConnectionFactory.createConnection(conf);
      ownsConnection = true;
    } catch (IOException e) {
      throw new DBException(e);
    }
  }

  /** Adds what the following operations move to {@code other}. */
  void tallyTo(Tally other) {
    tally = other;
  }

  /** Why the last operation that was not answered with OK failed; null if none did. */
  IOException lastFailure() {
    return lastFailure;
  }

  private Status failed(IOException e) {
    lastFailure = e;
    return Status.ERROR;
  }

  @Override
  public Status read(
      String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
    tally.kind("read");
    Get get = new Get(Bytes.toBytes(key));
    if (fields == null) {
      get.addFamily(family);
    } else {
      fields.forEach(field -> get.addColumn(family, Bytes.toBytes(field)));
    }
    try {
      Result row = table(name).get(mode == null ? get : mode.on(get));
      take(row, result);
      return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public Status scan(
      String name,
      String startKey,
      int rows,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    tally.kind("scan");
    Scan scan = new Scan().withStartRow(Bytes.toBytes(startKey)).setLimit(rows).setCaching(rows);
    if (fields == null) {
      scan.addFamily(family);
    } else {
      fields.forEach(field -> scan.addColumn(family, Bytes.toBytes(field)));
    }
    try (ResultScanner scanner = table(name).getScanner(mode == null ? scan : mode.on(scan))) {
      for (Result row : scanner) {
        HashMap<String, ByteIterator> values = new HashMap<>();
        take(row, values);
        result.add(values);
      }
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private void take(Result row, Map<String, ByteIterator> result) {
    tally.read(Moved.of(row));
    if (!row.isEmpty()) {
      for (Cell cell : row.rawCells()) {
        result.put(
            new String(
                cell.getQualifierArray(),
                cell.getQualifierOffset(),
                cell.getQualifierLength(),
                StandardCharsets.UTF_8),
            new ByteArrayByteIterator(
                cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
      }
    }
  }

  @Override
  public Status update(String name, String key, Map<String, ByteIterator> values) {
    // YCSB's read-modify-write is a read and an update.
    return put(name, key, values, tally.kind().equals("read") ? "read-modify-write" : "update");
  }

  private Status put(String name, String key, Map<String, ByteIterator> values, String kind) {
    Put put = new Put(Bytes.toBytes(key));
    values.forEach((field, value) -> put.addColumn(family, Bytes.toBytes(field), value.toArray()));
    tally.kind(kind);
    tally.wrote(Moved.of(put));
    try {
      if (buffered) {
        mutator(name).mutate(put);
      } else {
        table(name).put(put);
      }
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public Status insert(String name, String key, Map<String, ByteIterator> values) {
    return put(name, key, values, "insert");
  }

  @Override
  public Status delete(String name, String key) {
    try {
      table(name).delete(new Delete(Bytes.toBytes(key)));
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private Table table(String name) throws IOException {
    if (!name.equals(tableName) || table == null) {
      table = connection.getTable(TableName.valueOf(name));
      tableName = name;
    }
    return table;
  }

  private BufferedMutator mutator(String name) throws IOException {
    if (mutator == null) {
      mutator = connection.getBufferedMutator(TableName.valueOf(name));
    }
    return mutator;
  }

  @Override
  public void cleanup() throws DBException {
    try {
      if (mutator != null) {
        mutator.close();
      }
      if (table != null) {
        table.close();
      }
      if (ownsConnection) {
        connection.close();
      }
    } catch (IOException e) {
      throw new DBException(e);
    }
  }
}
