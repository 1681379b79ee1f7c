package io.ishbase.bench.scenario;

import io.ishbase.bench.Filling;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Tally;
import io.ishbase.bench.Values;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.zip.DeflaterOutputStream;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows numbered from 0, with values that follow from their number, so that every read can be
 * checked; and the loads that read them. Values begin with the last digit of their row's number: a
 * filter on it keeps one row in ten.
 */
final class NumberedTable {
  private static final int SAMPLED_ROWS = 64;
  private static final int KEY_DIGITS = 10;
  private static final int KEPT_ONE_IN = 10;
  private static final int MAX_CACHING = 1000;

  /** A prime above any number of rows. */
  private static final long SCATTER = 2_147_483_647L;

  /**
   * What such a table is like.
   *
   * @param valueBytes of a row's values
   * @param regions of equal size; they are not split further
   * @param flushBytes size at which a memstore is flushed
   * @param values further values of the table
   * @param format columns, what values are like, and how files keep them; its regions do not count
   * @param byTime whether rows are written in the order of their keys in each region, so that its
   *     files do not overlap; there are as many rows in each region
   */
  record Shape(
      String name,
      long rows,
      int valueBytes,
      int regions,
      long flushBytes,
      Map<String, String> values,
      TableFormat format,
      boolean byTime) {
    /** A table of one region and column that a load hardly flushes. */
    static Shape usual(String name, long rows) {
      return new Shape(name, rows, 1000, 1, 384L << 20, Map.of(), TableFormat.PLAIN, false);
    }

    Shape withRegions(int count) {
      return new Shape(name, rows, valueBytes, count, flushBytes, values, format, byTime);
    }

    Shape withValueBytes(int bytes) {
      return new Shape(name, rows, bytes, regions, flushBytes, values, format, byTime);
    }

    Shape withValue(String key, String value) {
      return new Shape(
          name, rows, valueBytes, regions, flushBytes, Map.of(key, value), format, byTime);
    }

    Shape in(TableFormat other) {
      int bytes =
          other.equals(TableFormat.PLAIN) ? valueBytes : other.columns() * other.columnBytes();
      return new Shape(name, rows, bytes, regions, flushBytes, values, other, byTime);
    }

    /** The same whose files do not overlap. */
    Shape inOrderOfKeys() {
      return new Shape(
          name, rows / regions * regions, valueBytes, regions, flushBytes, values, format, true);
    }

    /** Bytes of its cells, about, before any is encoded or compressed. */
    long cellBytes() {
      return rows * format.stores().versions() * (valueBytes + 40L * format.columns());
    }

    /** Bytes of its files, about: those of its cells, or of a sample's values, compressed. */
    long bytes() {
      if (format.codec() == Compression.Algorithm.NONE) {
        return cellBytes();
      }
      ByteArrayOutputStream sample = new ByteArrayOutputStream();
      try (DeflaterOutputStream deflater = new DeflaterOutputStream(sample)) {
        for (long row = 0; row < SAMPLED_ROWS; row++) {
          for (String column : columns()) {
            deflater.write(value(row, column, 0));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return rows * format.stores().versions() * sample.size() / SAMPLED_ROWS;
    }

    private List<String> columns() {
      return format.columns() == 1 ? List.of("v") : format.columnNames();
    }

    /**
     * The value of a column, whose length is the row's share.
     *
     * @param version 0 for the one that is read; those that it hides are others
     */
    private byte[] value(long row, String name, int version) {
      int bytes = valueBytes / format.columns();
      String column = version == 0 ? name : name + '@' + version;
      byte[] value;
      if (format.values() == Values.YCSB) {
        value = new byte[bytes];
        new SplittableRandom(31 * row + column.hashCode() - "v".hashCode()).nextBytes(value);
      } else {
        value = Bytes.toBytes(format.values().of(Bytes.toString(key(row)), column, bytes));
      }
      value[0] = (byte) ('0' + row % KEPT_ONE_IN);
      return value;
    }
  }

  private final Connection connection;
  private final Shape shape;
  private final List<String> columns;

  NumberedTable(Connection connection, Shape shape) {
    this.connection = connection;
    this.shape = shape;
    this.columns = shape.columns();
  }

  Shape shape() {
    return shape;
  }

  TableName name() {
    return TableName.valueOf(shape.name);
  }

  /** Creates the table anew, empty. */
  void create() throws IOException {
    create(family -> {});
  }

  /** The same, with what {@code further} sets of each family. */
  void create(Consumer<ColumnFamilyDescriptorBuilder> further) throws IOException {
    byte[][] splits = new byte[shape.regions - 1][];
    for (int i = 1; i < shape.regions; i++) {
      splits[i - 1] = key(shape.rows * i / shape.regions);
    }
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name())
            .setRegionSplitPolicyClassName(
                "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
            .setMemStoreFlushSize(shape.flushBytes)
            .setDurability(Durability.ASYNC_WAL);
    shape.format.applyTo(table, further);
    shape.values.forEach(table::setValue);
    Tables.recreate(connection, table.build(), splits);
  }

  /** Writes all rows and flushes them. */
  void fill() throws IOException {
    fill(UnaryOperator.identity());
  }

  /** The same, with what {@code more} adds to each row. */
  void fill(UnaryOperator<Put> more) throws IOException {
    Filling filling = new Filling(shape.format.stores(), shape.rows, System.currentTimeMillis());
    try (Progress progress =
        new Progress(
            String.format(Locale.ROOT, "loading %s, %,d rows", shape.name, shape.rows),
            filling.writes())) {
      filling.run(
          connection,
          name(),
          this::rowAt,
          (row, version, timestamp) -> more.apply(put(row, version, timestamp)),
          progress);
      progress.done("");
    }
  }

  /** Which row is written when: unless keys follow time, each of several files has all ranges. */
  private long rowAt(long place) {
    if (shape.byTime) {
      // All regions are written at once, each from its first row to its last.
      return place % shape.regions * (shape.rows / shape.regions) + place / shape.regions;
    }
    return shape.format.stores().files() == 1 ? place : place * SCATTER % shape.rows;
  }

  /** Writes every {@code nth} row again, with the same value. */
  void rewriteEach(int nth) throws IOException {
    try (BufferedMutator mutator = connection.getBufferedMutator(name())) {
      for (long row = 0; row < shape.rows; row += nth) {
        mutator.mutate(put(row));
      }
    }
  }

  Put put(long row) {
    return put(row, 0, HConstants.LATEST_TIMESTAMP);
  }

  private Put put(long row, int version, long timestamp) {
    Put put = new Put(key(row), timestamp);
    for (String column : columns) {
      put.addColumn(
          shape.format.familyOf(column), Bytes.toBytes(column), shape.value(row, column, version));
    }
    return put;
  }

  static byte[] key(long row) {
    byte[] key = new byte[KEY_DIGITS];
    for (int i = KEY_DIGITS - 1; i >= 0; i--) {
      key[i] = (byte) ('0' + row % 10);
      row /= 10;
    }
    return key;
  }

  static long number(byte[] key) {
    return Long.parseLong(Bytes.toString(key));
  }

  private void check(long row, Result result) throws IOException {
    for (String column : columns) {
      if (!Arrays.equals(
          result.getValue(shape.format.familyOf(column), Bytes.toBytes(column)),
          shape.value(row, column, 0))) {
        throw new IOException("row " + row + " is missing or has a wrong value in " + column);
      }
    }
  }

  /** What a client does again and again. */
  private interface Operation {
    void run(Table table, LongSupplier rows, SplittableRandom random, Tally tally)
        throws IOException;
  }

  private Load load(String distribution, long seed, Operation operation) {
    return load(shape.rows, distribution, seed, operation);
  }

  /** Of the {@code some} most popular rows alone. */
  private Load load(long some, String distribution, long seed, Operation operation) {
    IntFunction<LongSupplier> draws = Keys.of(distribution, some).ongoingDraws(seed);
    return worker -> {
      Table table = connection.getTable(name());
      LongSupplier ranks = draws.apply(worker);
      SplittableRandom random = new SplittableRandom(~seed * 1000 - worker);
      // Popular rows do not lie together.
      LongSupplier rows = () -> ranks.getAsLong() * SCATTER % shape.rows;
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          operation.run(table, rows, random, tally);
        }

        @Override
        public void close() throws IOException {
          table.close();
        }
      };
    };
  }

  /** Gets of single rows; {@code distribution} is uniform or zipfian. */
  Load gets(Mode mode, String distribution, long seed) {
    return load(distribution, seed, get(mode));
  }

  /** Gets of so many rows, spread over the table, each as often; others are not asked for. */
  Load getsOfSome(Mode mode, long some, long seed) {
    return load(some, "uniform", seed, get(mode));
  }

  private Operation get(Mode mode) {
    return (table, rows, random, tally) -> {
      long row = rows.getAsLong();
      take(row, table.get(mode.on(new Get(key(row)))), tally);
    };
  }

  /** Reads the same rows {@code times} times, {@code count} in a call. */
  void readSome(Mode mode, long some, int count, int times, Progress progress) throws IOException {
    try (Table table = connection.getTable(name())) {
      for (int time = 0; time < times; time++) {
        for (long rank = 0; rank < some; rank += count) {
          List<Get> gets = new ArrayList<>(count);
          for (long each = rank; each < Math.min(some, rank + count); each++) {
            gets.add(mode.on(new Get(key(each * SCATTER % shape.rows))));
          }
          Result[] results = table.get(gets);
          for (int i = 0; i < results.length; i++) {
            check(number(gets.get(i).getRow()), results[i]);
          }
          progress.add(results.length);
        }
      }
    }
  }

  /** Gets of {@code count} neighbouring rows, each as often, from {@code first} on, which moves. */
  Load getsOfRange(Mode mode, LongSupplier first, int count, long seed) {
    return load(
        "uniform",
        seed,
        (table, rows, random, tally) -> {
          long row = (first.getAsLong() + random.nextInt(count)) % shape.rows;
          take(row, table.get(mode.on(new Get(key(row)))), tally);
        });
  }

  /** Gets of {@code count} rows at a time. */
  Load multiGets(Mode mode, int count, long seed) {
    return load(
        "uniform",
        seed,
        (table, rows, random, tally) -> {
          List<Get> gets = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            gets.add(mode.on(new Get(key(rows.getAsLong()))));
          }
          Result[] results = table.get(gets);
          for (int i = 0; i < count; i++) {
            take(number(gets.get(i).getRow()), results[i], tally);
          }
        });
  }

  /** Which rows of a scan the servers return. */
  enum Returned {
    ALL,
    TENTH,
    NONE;

    /** No row has a value that begins with a letter. */
    private Filter filter() {
      return this == ALL
          ? null
          : new ValueFilter(
              CompareOperator.EQUAL,
              new BinaryPrefixComparator(Bytes.toBytes(this == TENTH ? "0" : "a")));
    }
  }

  /** Scans over {@code count} rows; where none is returned, those that were looked at count. */
  Load scans(Mode mode, int count, Returned returned, String distribution, long seed) {
    // From a multiple of ten and within the table: each scan returns as many rows as the other.
    long last = Math.max(0, shape.rows - count) / KEPT_ONE_IN * KEPT_ONE_IN;
    return load(
        distribution,
        seed,
        (table, rows, random, tally) ->
            scan(
                table,
                mode,
                Math.min(rows.getAsLong() / KEPT_ONE_IN * KEPT_ONE_IN, last),
                count,
                returned,
                tally));
  }

  private void scan(Table table, Mode mode, long first, int count, Returned returned, Tally tally)
      throws IOException {
    Scan scan =
        mode.on(
            new Scan()
                .withStartRow(key(first))
                .withStopRow(key(first + count))
                .setCaching(Math.min(count, MAX_CACHING)));
    scan.setFilter(returned.filter());
    int step = returned == Returned.ALL ? 1 : KEPT_ONE_IN;
    long next = returned == Returned.NONE ? first + count : first;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        take(next, result, tally);
        next += step;
      }
    }
    if (returned == Returned.NONE) {
      tally.read(new Moved(count, 0, 0));
    }
    if (next < Math.min(first + count, shape.rows)) {
      throw new IOException("a scan of " + count + " rows from " + first + " ended before " + next);
    }
  }

  /** Reads all rows once, so that they are cached where {@code mode} reads them. */
  void readAll(Mode mode) throws IOException {
    try (Table table = connection.getTable(name())) {
      scan(table, mode, 0, (int) shape.rows, Returned.ALL, new Tally());
    }
  }

  private void take(long row, Result result, Tally tally) throws IOException {
    check(row, result);
    tally.read(Moved.of(result));
  }
}
