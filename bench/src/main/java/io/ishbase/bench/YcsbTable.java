package io.ishbase.bench;

import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * A table with the keys and columns of YCSB's core workload, and values that follow from them, so
 * that every read can be checked.
 */
public final class YcsbTable {
  static final String FAMILY = "f";

  private static final byte[] FAMILY_BYTES = Bytes.toBytes(FAMILY);
  private static final int SAMPLED_KEYS = 10_000;
  private static final long FLUSH_BYTES = 384L << 20;

  /** Which table. */
  public record Shape(String name, long rows, TableFormat format) {
    /** One as HBase makes it, whose rows have {@code fields} columns of so many bytes each. */
    public Shape(String name, long rows, int fields, int fieldBytes) {
      this(name, rows, TableFormat.PLAIN.withColumns(fields, fieldBytes));
    }

    /** A table of the same rows in blocks of another size, encoded so that seeks are cheap. */
    Shape inSmallBlocks(int bytes, DataBlockEncoding encoding) {
      return new Shape(
          name + (bytes >> 10) + "k", rows, format.withBlocksOf(bytes).withEncoding(encoding));
    }

    /** Columns of each row. */
    public int fields() {
      return format.columns();
    }

    /** Bytes of each value. */
    public int fieldBytes() {
      return format.columnBytes();
    }

    @Override
    public String toString() {
      return String.format("%,d rows of %s", rows, format);
    }
  }

  private final Connection connection;
  private final Shape shape;
  private final CheckedWorkload checker;
  private final List<String> columns;
  private final List<byte[]> families;
  private String files = "";
  private byte @Nullable [][] orderedKeys;

  public YcsbTable(Connection connection, Shape shape) {
    this.connection = connection;
    this.shape = shape;
    this.checker = (CheckedWorkload) workload(Map.of("readproportion", "1"));
    this.columns = shape.format().columnNames();
    this.families = shape.format().families();
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
    context.results().fact("table " + shape.name(), shape + ", " + table.files);
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

  /** The keys of all rows, in the order of HBase. */
  synchronized byte[][] orderedKeys() {
    if (orderedKeys == null) {
      orderedKeys =
          LongStream.range(0, shape.rows())
              .mapToObj(this::key)
              .sorted(Bytes.BYTES_COMPARATOR)
              .toArray(byte[][]::new);
    }
    return orderedKeys;
  }

  /**
   * Checks that an answer is of the row with this key, if of any.
   *
   * @throws IOException if it is of another one
   */
  void checkKey(Result row, byte[] key) throws IOException {
    if (row != null && !row.isEmpty() && !Bytes.equals(row.getRow(), key)) {
      throw new WrongAnswerException(
          "row " + Bytes.toString(row.getRow()) + " came for " + Bytes.toString(key));
    }
  }

  /**
   * Checks the values of a row.
   *
   * @throws IOException if one is wrong or none is there
   */
  public void check(Result row) throws IOException {
    if (row == null || row.isEmpty()) {
      throw new WrongAnswerException("a row of " + shape.name() + " is missing");
    }
    String key = Bytes.toString(row.getRow());
    try {
      for (Cell cell : row.rawCells()) {
        String column =
            Bytes.toString(
                cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
        if (!CellUtil.matchingFamily(cell, family(column))) {
          throw new IllegalStateException("row " + key + " has " + column + " in a wrong family");
        }
        check(
            key,
            column,
            Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
      }
    } catch (IllegalStateException e) {
      throw new WrongAnswerException(e.getMessage());
    }
  }

  private void check(String key, String column, String value) {
    if (shape.format().values() == Values.YCSB) {
      checker.check(key, column, value);
    } else if (!value.equals(value(key, column))) {
      throw new IllegalStateException("row " + key + " has a wrong value in " + column);
    }
  }

  private String value(String key, String column) {
    return shape.format().values().of(key, column, shape.fieldBytes());
  }

  /**
   * Checks how many columns a row has, and the value of the first: for rows so wide that checking
   * all of them would keep the client busier than the cluster.
   *
   * @throws IOException if one of the two is wrong
   */
  public void check(Result row, int expected) throws IOException {
    checkSize(row, expected);
    check(Result.create(List.of(row.rawCells()[0])));
  }

  /**
   * Checks how many columns a row has, and all values.
   *
   * @throws IOException if something of it is wrong
   */
  void checkAll(Result row, int expected) throws IOException {
    check(row);
    checkSize(row, expected);
  }

  private void checkSize(Result row, int expected) throws IOException {
    if (row.size() != expected) {
      throw new WrongAnswerException(
          "a row of " + shape.name() + " has " + row.size() + " columns instead of " + expected);
    }
  }

  /** Row {@code number} as it was loaded, to be written again. */
  public Put put(long number) {
    return put(number, 0, HConstants.LATEST_TIMESTAMP);
  }

  private Put put(long number, int version, long timestamp) {
    String key = checker.key(number);
    Put put = new Put(Bytes.toBytes(key), timestamp);
    for (String column : columns) {
      // A value that is hidden is another one, so that nobody takes it for the right one.
      String value = value(key, version == 0 ? column : column + '@' + version);
      put.addColumn(family(column), Bytes.toBytes(column), Bytes.toBytes(value));
    }
    return put;
  }

  /** Names of the columns, in the order in which HBase sorts them. */
  public List<String> columns() {
    return columns;
  }

  /** Names of the families. */
  List<byte[]> families() {
    return families;
  }

  /** The family of a column. */
  byte[] family(String column) {
    return shape.format().stores().families() == 1 ? FAMILY_BYTES : shape.format().familyOf(column);
  }

  public static byte[] family() {
    return FAMILY_BYTES;
  }

  /** What it is created from: regions that never split, and do not flush by themselves soon. */
  public TableDescriptorBuilder descriptor() {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name());
    shape.format().applyTo(table, family -> {});
    return table
        .setRegionSplitPolicyClassName(
            "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
        .setMemStoreFlushSize(FLUSH_BYTES)
        .setDurability(Durability.ASYNC_WAL);
  }

  /** Creates the table and loads it; each store has as many HFiles as it is to have. */
  public void load() throws IOException {
    Tables.recreate(connection, descriptor().build(), splits());
    TableFormat.Stores stores = shape.format().stores();
    Filling filling = new Filling(stores, shape.rows(), System.currentTimeMillis());
    try (Progress progress = new Progress("loading " + shape, filling.writes())) {
      filling.run(connection, name(), row -> row, this::put, progress);
      if (stores.files() == 1) {
        progress.note("compaction");
        Tables.intoOneFileEach(connection, name());
      }
      files =
          Tables.files(connection, name()) + " HFiles in " + shape.format().regions() + " regions";
      progress.done(files);
    }
  }

  /** Keys are hashes, so that some of them tell where the others lie. */
  private byte[][] splits() {
    int regions = shape.format().regions();
    byte[][] sample =
        LongStream.range(0, Math.min(shape.rows(), SAMPLED_KEYS))
            .mapToObj(this::key)
            .sorted(Bytes.BYTES_COMPARATOR)
            .toArray(byte[][]::new);
    byte[][] splits = new byte[regions - 1][];
    for (int i = 1; i < regions; i++) {
      splits[i - 1] = sample[(int) ((long) sample.length * i / regions)];
    }
    return splits;
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
