package io.ishbase.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
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
import site.ycsb.Status;

/**
 * YCSB's database interface on an HBase table. One per client thread; it measures its own reads.
 * Inserts are buffered until {@link #cleanup()}.
 */
public final class HBaseBinding extends DB {
  static final byte[] FAMILY = Bytes.toBytes("f");

  /** Largest latency that is told from larger ones: 100 s. */
  private static final long MAX_MICROS = 100_000_000L;

  private final Table table;
  private final BufferedMutator mutator;
  private final ReadMode mode;
  private final Histogram micros = new Histogram(MAX_MICROS, 3);
  private long valueBytes;
  private long failures;

  public HBaseBinding(Connection connection, TableName name, ReadMode mode) throws IOException {
    this.table = connection.getTable(name);
    this.mutator = connection.getBufferedMutator(name);
    this.mode = mode;
  }

  /** Latencies of the reads so far, in microseconds. */
  public Histogram micros() {
    return micros;
  }

  /** Value bytes that reads have returned. */
  public long valueBytes() {
    return valueBytes;
  }

  /** Reads that returned nothing or threw. */
  public long failures() {
    return failures;
  }

  @Override
  public Status read(
      String tableName, String key, Set<String> fields, Map<String, ByteIterator> result) {
    Get get = mode.applyTo(new Get(Bytes.toBytes(key)));
    addColumns(fields, get::addColumn);
    long start = System.nanoTime();
    try {
      Result row = table.get(get);
      record(start);
      if (row.isEmpty()) {
        failures++;
        return Status.NOT_FOUND;
      }
      collect(row, result);
      return Status.OK;
    } catch (IOException e) {
      failures++;
      return Status.ERROR;
    }
  }

  @Override
  public Status scan(
      String tableName,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    Scan scan = mode.applyTo(new Scan().withStartRow(Bytes.toBytes(startKey)).setLimit(count));
    addColumns(fields, scan::addColumn);
    long start = System.nanoTime();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        HashMap<String, ByteIterator> values = new HashMap<>();
        collect(row, values);
        result.add(values);
      }
      record(start);
      return Status.OK;
    } catch (IOException e) {
      failures++;
      return Status.ERROR;
    }
  }

  private interface ColumnConsumer {
    void add(byte[] family, byte[] qualifier);
  }

  private static void addColumns(Set<String> fields, ColumnConsumer consumer) {
    if (fields != null) {
      fields.forEach(field -> consumer.add(FAMILY, Bytes.toBytes(field)));
    }
  }

  private void record(long startNanos) {
    micros.recordValue(Math.min(MAX_MICROS, (System.nanoTime() - startNanos) / 1000));
  }

  private void collect(Result row, Map<String, ByteIterator> result) {
    for (Cell cell : row.rawCells()) {
      byte[] value = CellUtil.cloneValue(cell);
      valueBytes += value.length;
      result.put(
          Bytes.toString(CellUtil.cloneQualifier(cell)),
          new ByteArrayByteIterator(value));
    }
  }

  @Override
  public Status update(String tableName, String key, Map<String, ByteIterator> values) {
    return put(key, values, false);
  }

  @Override
  public Status insert(String tableName, String key, Map<String, ByteIterator> values) {
    return put(key, values, true);
  }

  private Status put(String key, Map<String, ByteIterator> values, boolean buffered) {
    Put put = new Put(Bytes.toBytes(key));
    values.forEach((field, value) -> put.addColumn(FAMILY, Bytes.toBytes(field), value.toArray()));
    try {
      if (buffered) {
        mutator.mutate(put);
      } else {
        table.put(put);
      }
      return Status.OK;
    } catch (IOException e) {
      failures++;
      return Status.ERROR;
    }
  }

  @Override
  public Status delete(String tableName, String key) {
    try {
      table.delete(new Delete(Bytes.toBytes(key)));
      return Status.OK;
    } catch (IOException e) {
      failures++;
      return Status.ERROR;
    }
  }

  @Override
  public void cleanup() {
    try {
      mutator.close();
      table.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
