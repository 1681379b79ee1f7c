package io.ishbase.bench.scenario;

import io.ishbase.bench.Filling;
import io.ishbase.bench.Keys;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Tally;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Vertices of a graph, as graph databases keep them in HBase: a row is a vertex, a column an edge,
 * its qualifier a label and the neighbour's number. A slice is the edges of a vertex with one
 * label; they lie together.
 */
final class VertexTable {
  static final int EDGES_OF_SLICE = 10;

  private static final List<String> LABELS = List.of("cites", "follows", "knows", "likes", "owns");
  static final int EDGES = LABELS.size() * EDGES_OF_SLICE;

  private static final byte[] FAMILY = Bytes.toBytes("e");
  private static final int VALUE_BYTES = 40;

  /** A cell with its key: row, qualifier, value and what HBase needs beside them. */
  private static final int CELL_BYTES = 100;

  private static final long FLUSH_BYTES = 384L << 20;

  /** Primes, so that neighbours are spread, and differ within a slice. */
  private static final long SCATTER = 2_147_483_647L;

  private static final long STEP = 1_000_003;
  private static final long NUMBERS = 1_000_000_000;

  private final Connection connection;
  private final TableName name;
  private final long vertices;
  private final TableFormat format;

  /**
   * A table.
   *
   * @param format how its files keep the cells; columns, values and regions are its own
   */
  VertexTable(Connection connection, String name, long vertices, TableFormat format) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
    this.vertices = vertices;
    this.format = format.withColumns(EDGES, VALUE_BYTES).withStores(TableFormat.Stores.USUAL);
  }

  TableName name() {
    return name;
  }

  /** Bytes of all cells of so many vertices. */
  static long bytes(long vertices) {
    return vertices * EDGES * CELL_BYTES;
  }

  /** Creates the table anew, empty. */
  void create() throws IOException {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
    format.applyTo(family);
    Tables.recreate(
        connection,
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(family.build())
            .setRegionSplitPolicyClassName(
                "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
            .setMemStoreFlushSize(FLUSH_BYTES)
            .setDurability(Durability.ASYNC_WAL)
            .build());
  }

  /** Writes all vertices and brings them into one HFile. */
  void fill() throws IOException {
    try (Progress progress =
        new Progress(
            String.format(
                Locale.ROOT, "loading %s, %,d vertices of %d edges", name, vertices, EDGES),
            vertices)) {
      new Filling(format.stores(), vertices, System.currentTimeMillis())
          .run(
              connection, name, vertex -> vertex, (vertex, version, time) -> put(vertex), progress);
      Tables.intoOneFileEach(connection, name);
      progress.done("");
    }
  }

  private Put put(long vertex) {
    Put put = new Put(NumberedTable.key(vertex));
    for (int label = 0; label < LABELS.size(); label++) {
      slice(vertex, label)
          .forEach((edge, value) -> put.addColumn(FAMILY, Bytes.toBytes(edge), value));
    }
    return put;
  }

  /** The edges of a slice and their values, in the order in which HBase sorts them. */
  Map<String, byte[]> slice(long vertex, int label) {
    String key = Bytes.toString(NumberedTable.key(vertex));
    Map<String, byte[]> edges = new TreeMap<>();
    for (int i = 0; i < EDGES_OF_SLICE; i++) {
      long neighbour = (vertex * SCATTER + (label * EDGES_OF_SLICE + i) * STEP) % NUMBERS;
      String edge = LABELS.get(label) + ':' + Bytes.toString(NumberedTable.key(neighbour));
      edges.put(edge, Bytes.toBytes(format.values().of(key, edge, VALUE_BYTES)));
    }
    return edges;
  }

  /** Asks for a slice. */
  static Get get(Mode mode, long vertex, int label) {
    byte[] first = Bytes.toBytes(LABELS.get(label) + ':');
    byte[] last = Bytes.toBytes(LABELS.get(label) + ';');
    return mode.on(
        new Get(NumberedTable.key(vertex))
            .addFamily(FAMILY)
            .setFilter(new ColumnRangeFilter(first, true, last, false)));
  }

  /**
   * Checks all edges of a slice.
   *
   * @throws IOException if one is wrong, missing, or not of the slice
   */
  void check(long vertex, int label, Result result) throws IOException {
    Map<String, byte[]> expected = slice(vertex, label);
    int at = 0;
    if (result.size() == expected.size()) {
      for (Map.Entry<String, byte[]> edge : expected.entrySet()) {
        Cell cell = result.rawCells()[at];
        if (!CellUtil.matchingQualifier(cell, Bytes.toBytes(edge.getKey()))
            || !CellUtil.matchingValue(cell, edge.getValue())) {
          break;
        }
        at++;
      }
    }
    if (at < expected.size()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "vertex %d, %s: %d edges instead of %d, or a wrong one at place %d",
              vertex,
              LABELS.get(label),
              result.size(),
              expected.size(),
              at));
    }
  }

  /** Reads every slice once, so that it is cached where {@code mode} reads it. */
  void readAll(Mode mode, int atOnce) throws IOException {
    try (Table table = connection.getTable(name)) {
      for (long first = 0; first < vertices; first += atOnce) {
        List<Get> gets = new ArrayList<>();
        for (long vertex = first; vertex < Math.min(vertices, first + atOnce); vertex++) {
          for (int label = 0; label < LABELS.size(); label++) {
            gets.add(get(mode, vertex, label));
          }
        }
        Result[] results = table.get(gets);
        for (int i = 0; i < results.length; i++) {
          check(first + i / LABELS.size(), i % LABELS.size(), results[i]);
        }
      }
    }
  }

  /**
   * Reads of slices: of vertices by Zipf's law, each label as often.
   *
   * @param batch slices of one operation; 1: plain Gets
   */
  Load slices(Mode mode, int batch, long seed) {
    IntFunction<LongSupplier> draws = Keys.zipfian(vertices).ongoingDraws(seed);
    return worker -> {
      Table table = connection.getTable(name);
      LongSupplier ranks = draws.apply(worker);
      SplittableRandom labels = new SplittableRandom(~seed * 1000 - worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          long[] asked = new long[batch];
          int[] wanted = new int[batch];
          List<Get> gets = new ArrayList<>(batch);
          for (int i = 0; i < batch; i++) {
            // Popular vertices do not lie together.
            asked[i] = ranks.getAsLong() * SCATTER % vertices;
            wanted[i] = labels.nextInt(LABELS.size());
            gets.add(get(mode, asked[i], wanted[i]));
          }
          Result[] results = batch == 1 ? new Result[] {table.get(gets.get(0))} : table.get(gets);
          for (int i = 0; i < batch; i++) {
            check(asked[i], wanted[i], results[i]);
            tally.read(Moved.of(results[i]));
          }
        }

        @Override
        public void close() throws IOException {
          table.close();
        }
      };
    };
  }
}
