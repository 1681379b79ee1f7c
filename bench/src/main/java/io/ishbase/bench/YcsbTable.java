package io.ishbase.bench;

import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * A table that YCSB's core workload fills: one region, one HFile, values that follow from their
 * keys, so that every read can be checked.
 */
public final class YcsbTable {
  static final String FAMILY = "f";

  private static final byte[] FAMILY_BYTES = Bytes.toBytes(FAMILY);
  private static final int LOADERS = 4;
  private static final long FLUSH_BYTES = 384L << 20;

  /**
   * Which table.
   *
   * @param fields columns of each row
   * @param fieldBytes bytes of each value
   * @param blockBytes size of the HFile's blocks
   */
  public record Shape(String name, long rows, int fields, int fieldBytes, int blockBytes) {
    private static final int USUAL_BLOCK_BYTES = 64 << 10;

    /** One in blocks of the size that HBase gives them. */
    public Shape(String name, long rows, int fields, int fieldBytes) {
      this(name, rows, fields, fieldBytes, USUAL_BLOCK_BYTES);
    }

    /** A table of the same rows in blocks of another size. */
    Shape inBlocksOf(int bytes) {
      return new Shape(name + (bytes >> 10) + "k", rows, fields, fieldBytes, bytes);
    }

    /** The usual one: one value of 1,000 bytes in each row. */
    public static Shape usual(long rows) {
      return new Shape("usertable", rows, 1, 1000);
    }

    @Override
    public String toString() {
      return String.format("%,d rows of %d × %d bytes", rows, fields, fieldBytes)
          + (blockBytes == USUAL_BLOCK_BYTES ? "" : ", blocks of " + blockBytes + " bytes");
    }
  }

  private final Connection connection;
  private final Shape shape;
  private final CheckedWorkload checker;

  public YcsbTable(Connection connection, Shape shape) {
    this.connection = connection;
    this.shape = shape;
    this.checker = (CheckedWorkload) workload(Map.of("readproportion", "1"));
  }

  /** The table of that shape, loaded now unless a scenario before did. Nobody may change it. */
  public static YcsbTable shared(ScenarioContext context, Shape shape) throws IOException {
    YcsbTable table =
        context
            .shared()
            .table(
                shape.name(),
                () -> {
                  YcsbTable fresh = new YcsbTable(context.connection(), shape);
                  fresh.load();
                  return fresh;
                });
    context.results().fact("table " + shape.name(), shape + ", one region, one HFile");
    return table;
  }

  Connection connection() {
    return connection;
  }

  public Shape shape() {
    return shape;
  }

  public TableName name() {
    return TableName.valueOf(shape.name());
  }

  /** A client's view of it; for one thread, which closes it. */
  public Table open() throws IOException {
    return connection.getTable(name());
  }

  /** The key of row {@code number}, counted from 0 in the order of insertion. */
  public byte[] key(long number) {
    return Bytes.toBytes(checker.key(number));
  }

  /**
   * Checks the values of a row.
   *
   * @throws IOException if one is wrong or none is there
   */
  public void check(Result row) throws IOException {
    if (row == null || row.isEmpty()) {
      throw new IOException("a row of " + shape.name() + " is missing");
    }
    String key = Bytes.toString(row.getRow());
    try {
      for (Cell cell : row.rawCells()) {
        checker.check(
            key,
            Bytes.toString(
                cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength()),
            Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
      }
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Checks how many columns a row has, and the value of the first: for rows so wide that checking
   * all of them would keep the client busier than the cluster.
   *
   * @throws IOException if one of the two is wrong
   */
  public void check(Result row, int columns) throws IOException {
    if (row.size() != columns) {
      throw new IOException(
          "a row of " + shape.name() + " has " + row.size() + " columns instead of " + columns);
    }
    check(Result.create(List.of(row.rawCells()[0])));
  }

  /** Row {@code number} as it was loaded, to be written again. */
  public Put put(long number) {
    String key = checker.key(number);
    Put put = new Put(Bytes.toBytes(key));
    for (String column : columns()) {
      put.addColumn(FAMILY_BYTES, Bytes.toBytes(column), Bytes.toBytes(checker.value(key, column)));
    }
    return put;
  }

  /** Names of the columns, in the order in which HBase sorts them. */
  public List<String> columns() {
    return IntStream.range(0, shape.fields()).mapToObj(field -> "field" + field).sorted().toList();
  }

  public static byte[] family() {
    return FAMILY_BYTES;
  }

  /** What it is created from: one region that never splits, and does not flush by itself soon. */
  public TableDescriptorBuilder descriptor() {
    return TableDescriptorBuilder.newBuilder(name())
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY_BYTES)
                .setBlocksize(shape.blockBytes())
                .build())
        .setRegionSplitPolicyClassName(
            "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
        .setMemStoreFlushSize(FLUSH_BYTES)
        .setDurability(Durability.ASYNC_WAL);
  }

  /** Creates the table, loads it and brings it into one HFile. */
  public void load() throws IOException {
    Tables.recreate(connection, descriptor().build());
    CoreWorkload workload = workload(Map.of("readproportion", "1"));
    AtomicLong left = new AtomicLong(shape.rows());
    try (Progress progress = new Progress("loading " + shape, shape.rows())) {
      Workers.run(
          LOADERS,
          worker -> {
            HBaseBinding binding = new HBaseBinding(connection, FAMILY, null, true);
            while (left.getAndDecrement() > 0) {
              if (!workload.doInsert(binding, null)) {
                throw new IOException("an insert failed");
              }
              progress.add(1);
            }
            binding.cleanup();
          });
      progress.note("flush, compaction");
      Tables.intoOneFile(connection, name());
      progress.done("one region, one HFile");
    }
  }

  /**
   * YCSB's core workload over the table, each value that is read alone checked.
   *
   * @param proportions and other properties of YCSB's
   */
  CoreWorkload workload(Map<String, String> proportions) {
    Properties properties = new Properties();
    properties.setProperty("table", shape.name());
    properties.setProperty("recordcount", Long.toString(shape.rows()));
    // YCSB wants to know, and uses it only to leave room among the keys for inserts.
    properties.setProperty("operationcount", "1000000");
    properties.setProperty("fieldcount", Integer.toString(shape.fields()));
    properties.setProperty("fieldlength", Integer.toString(shape.fieldBytes()));
    properties.setProperty("dataintegrity", "true");
    for (String operation : new String[] {"read", "update", "insert", "scan", "readmodifywrite"}) {
      properties.setProperty(operation + "proportion", "0");
    }
    properties.putAll(proportions);
    Measurements.setProperties(properties);
    CheckedWorkload workload = new CheckedWorkload(shape.fieldBytes());
    try {
      workload.init(properties);
    } catch (WorkloadException e) {
      throw new IllegalArgumentException(properties.toString(), e);
    }
    return workload;
  }
}
