package io.ishbase.it;

import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.BLOCK_BYTES_SCANNED_KEY_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.BLOCK_READ_OPS_COUNT_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.BYTES_READ_FROM_BLOCK_CACHE_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.BYTES_READ_FROM_FS_METRIC_NAME;
import static org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics.COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.core.Setting;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How many requests and how many bytes a read may cost. Bytes are counted on the connection. */
class RequestsAndBytesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 2000;
  private static final int VALUE_BYTES = 1000;

  private static final int OPEN_SCANNERS = 50;
  private static final int FIRST_BATCH_BYTES = 16_384;
  private static final int SCAN_BUFFER_BYTES = 4 << 20;

  /** Ethernet, IP and TCP headers of the packet that brings an answer. */
  private static final int PACKET_HEADERS = 66;

  private static MiniCluster cluster;
  private static ProxiedDaemons daemons;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("ishbase.scan.buffer.bytes", SCAN_BUFFER_BYTES);
              // Bytes and rows are to end an answer here, not the clock of a busy machine.
            });
    daemons = ProxiedDaemons.start(cluster);
  }

  @AfterAll
  static void stop() throws Exception {
    daemons.close();
    cluster.close();
  }

  private static TableName table(String name) throws IOException {
    return table(name, Setting.VERIFY_SHARE, "0");
  }

  private static TableName table(String name, Setting setting, String value) throws IOException {
    TableName table = TableName.valueOf(name);
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue(Setting.VERIFY_SHARE.key(), "0")
                .setValue(setting.key(), value)
                .build());
    return table;
  }

  /** Writes rows {@code from}, {@code from + step}, ... and flushes. */
  private static void write(TableName name, int from, int step) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (int row = from; row < ROWS; row += step) {
        puts.add(new Put(row(row)).addColumn(FAMILY, QUALIFIER, new byte[VALUE_BYTES]));
      }
      table.put(puts);
    }
    cluster.util.flush(name);
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("row%05d", row));
  }

  /** What a read costs. */
  private record Cost(long requests, long bytes, long metricBytes) {}

  private interface Read {
    void run() throws IOException;
  }

  /** Bytes that came for each byte of values of {@code rows}, without the headers of packets. */
  private static double inPerValueByte(Cost cost, int rows) {
    double bytes = (double) cost.bytes / rows / VALUE_BYTES;
    System.out.printf("%d rows at once: %.3f bytes in for each of values%n", rows, bytes);
    return bytes;
  }

  private static Cost costOf(Read read) throws IOException {
    InStorageMetrics metrics = InStorageMetrics.get();
    long requests = metrics.requests();
    long metricBytes = metrics.inStorageBytes();
    long bytes = daemons.bytesToClient();
    read.run();
    return new Cost(
        metrics.requests() - requests,
        daemons.bytesToClient() - bytes,
        metrics.inStorageBytes() - metricBytes);
  }

  private static Result get(Table table, byte[] row) throws IOException {
    return table.get(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row)));
  }

  /** Opens connections and learns where files lie. */
  private static void connect(Table table) {
    MiniCluster.await(
        "an answer from a daemon",
        () -> {
          try {
            long before = InStorageMetrics.get().cells();
            get(table, row(0));
            return InStorageMetrics.get().cells() > before;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Set<String> holders(TableName name) throws IOException {
    Set<String> holders = new HashSet<>();
    for (HStoreFile file : storeFiles(name)) {
      for (BlockLocation block :
          cluster.util.getTestFileSystem().getFileBlockLocations(file.getPath(), 0, 1)) {
        holders.addAll(List.of(block.getNames()));
      }
    }
    return holders;
  }

  private static List<HStoreFile> storeFiles(TableName name) {
    return List.copyOf(cluster.regions(name).get(0).getStores().get(0).getStorefiles());
  }

  @Test
  void aColdGetCostsOneRequestAndItsCell() throws Exception {
    TableName name = table("one_file");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      double least = Double.MAX_VALUE;
      for (int row = 7; row < ROWS; row += 97) {
        byte[] key = row(row);
        Result[] result = new Result[1];
        Cost cost = costOf(() -> result[0] = get(table, key));
        assertThat(result[0].value()).hasSize(VALUE_BYTES);
        assertThat(cost.requests).isEqualTo(1);
        assertThat(cost.bytes + PACKET_HEADERS)
            .isLessThanOrEqualTo(
                PrivateCellUtil.estimatedSerializedSizeOf(result[0].rawCells()[0]) + 150L);
        least = Math.min(least, inPerValueByte(cost, 1));
      }
      // Not each: what is asked to measure the line comes over the same connections.
      assertThat(least).isLessThanOrEqualTo(1.10);
    }
  }

  /** The region server's own instance has to see the row at which the daemon's ends. */
  @Test
  void aFilterThatEndsAScanEndsItInThatRegion() throws Exception {
    TableName name = TableName.valueOf("ended");
    byte[][] borders = {Bytes.toBytes("b"), Bytes.toBytes("c"), Bytes.toBytes("d")};
    try (Table table = cluster.util.createTable(name, FAMILY, borders)) {
      for (String region : List.of("a", "b", "c", "d")) {
        for (int row = 0; row < 10; row++) {
          table.put(new Put(Bytes.toBytes(region + row)).addColumn(FAMILY, QUALIFIER, QUALIFIER));
        }
      }
      cluster.util.flush(name);
      Filter prefix = new PrefixFilter(Bytes.toBytes("b3"));
      List<Filter> filters =
          List.of(
              prefix,
              new InclusiveStopFilter(Bytes.toBytes("b3")),
              new MultiRowRangeFilter(
                  new ArrayList<>(
                      List.of(
                          new MultiRowRangeFilter.RowRange(
                              Bytes.toBytes("a8"), true, Bytes.toBytes("b3"), true)))),
              new FuzzyRowFilter(List.of(new Pair<>(Bytes.toBytes("b3"), new byte[] {0, 0}))),
              new FilterList(
                  prefix, new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(QUALIFIER))));
      for (Filter filter : filters) {
        long pushed = pushedFilters();
        assertThat(regionsAndRows(table, MiniCluster.IN_STORAGE, filter))
            .as(filter.toString())
            .isEqualTo(regionsAndRows(table, MiniCluster.STOCK, filter))
            .startsWith("3 regions");
        assertThat(pushedFilters()).as(filter.toString()).isGreaterThan(pushed);
      }
    }
  }

  private static long pushedFilters() {
    return Stream.of(FilterScope.values()).mapToLong(InStorageMetrics.get()::pushedFilters).sum();
  }

  private static String regionsAndRows(Table table, String mode, Filter filter) throws IOException {
    Scan scan = new Scan().setFilter(filter).setScanMetricsEnabled(true);
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(MiniCluster.in(mode, scan))) {
      for (Result result : scanner) {
        rows.add(Bytes.toString(result.getRow()));
      }
      return scanner.getScanMetrics().countOfRegions.get() + " regions, rows " + rows;
    }
  }

  /** Directory and files were told with the first one. */
  @Test
  void aSecondGetAsksInFewBytes() throws Exception {
    TableName name = table("told");
    for (int file = 0; file < 3; file++) {
      write(name, 0, 1);
    }
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      get(table, row(1));
      for (int row = 5; row < ROWS; row += 211) {
        byte[] key = row(row);
        long before = daemons.bytesToDaemons();
        get(table, key);
        assertThat(daemons.bytesToDaemons() - before).isBetween(40L, 60L);
      }
      // The files are others, and so is what they are known by.
      write(name, 0, 1);
      long before = daemons.bytesToDaemons();
      get(table, row(7));
      long told = daemons.bytesToDaemons();
      get(table, row(8));
      assertThat(told - before).isGreaterThan(200);
      assertThat(daemons.bytesToDaemons() - told).isBetween(40L, 60L);
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        gets.add(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row(i * 7919 % ROWS))));
      }
      table.get(gets);
      before = daemons.bytesToDaemons();
      table.get(gets);
      assertThat(daemons.bytesToDaemons() - before)
          .isLessThanOrEqualTo(100 * (row(0).length + 3L) + 60);
    }
  }

  @Test
  void aGetOverSeveralFilesOnOneNodeCostsOneRequest() throws Exception {
    TableName name = table("three_files");
    for (int file = 0; file < 3; file++) {
      write(name, 0, 1);
    }
    assertThat(storeFiles(name)).hasSize(3);
    assertThat(holders(name)).as("the region's home").hasSize(1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      for (int row = 5; row < ROWS; row += 211) {
        byte[] key = row(row);
        assertThat(costOf(() -> get(table, key)).requests).isEqualTo(1);
      }
    }
  }

  /** As of a queue: what is deleted still lies in files. */
  @Test
  void theFirstRowBehindManyThatAreDeletedCostsFewRequests() throws Exception {
    TableName name = table("queue");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      List<Delete> deletes = new ArrayList<>();
      for (int row = 0; row < ROWS - 1; row++) {
        deletes.add(new Delete(row(row)));
      }
      table.delete(deletes);
      Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan().setLimit(1));
      Cost cost =
          costOf(
              () -> {
                try (ResultScanner scanner = table.getScanner(scan)) {
                  assertThat(scanner.next().getRow()).isEqualTo(row(ROWS - 1));
                }
              });
      assertThat(cost.requests).isLessThan(50);
    }
  }

  @Test
  void aGetOverFilesOnTwoNodesCostsTwoRequests() throws Exception {
    // The test says itself where the files go.
    TableName name = table("two_nodes", Setting.PLACEMENT, "false");
    cluster.setHome(name, 1);
    write(name, 0, 1);
    cluster.setHome(name, 0);
    write(name, 0, 1);
    assertThat(holders(name)).as("nodes that hold files").hasSize(2);
    try (Table table = cluster.connection().getTable(name)) {
      MiniCluster.await(
          "answers from both daemons",
          () -> {
            try {
              long first = daemons.bytesToClient(0);
              long second = daemons.bytesToClient(1);
              get(table, row(0));
              return daemons.bytesToClient(0) > first && daemons.bytesToClient(1) > second;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      for (int row = 5; row < ROWS; row += 211) {
        byte[] key = row(row);
        assertThat(costOf(() -> get(table, key)).requests).isEqualTo(2);
      }
    }
  }

  @Test
  void whatKeyRangesExcludeCostsNothing() throws Exception {
    TableName name = table("ranges");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      assertThat(costOf(() -> get(table, Bytes.toBytes("zzz")))).isEqualTo(new Cost(0, 0, 0));
      assertThat(costOf(() -> get(table, Bytes.toBytes("aaa")))).isEqualTo(new Cost(0, 0, 0));
    }
  }

  @Test
  void anAbsentRowCostsOneRequestAndNoCell() throws Exception {
    TableName name = table("absent");
    write(name, 0, 2);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      Cost cost = costOf(() -> assertThat(get(table, row(501)).isEmpty()).isTrue());
      assertThat(cost.requests).isEqualTo(1);
      assertThat(cost.bytes + PACKET_HEADERS).isLessThanOrEqualTo(150);
    }
  }

  @Test
  void aTableWithoutFilesCostsNothing() throws Exception {
    TableName name = table("memstore");
    try (Table table = cluster.connection().getTable(name)) {
      table.put(new Put(row(1)).addColumn(FAMILY, QUALIFIER, new byte[VALUE_BYTES]));
      assertThat(costOf(() -> assertThat(get(table, row(1)).isEmpty()).isFalse()))
          .isEqualTo(new Cost(0, 0, 0));
    }
  }

  @Test
  void aShortScanCostsOneRequestAndItsRows() throws Exception {
    TableName name = table("limits");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      int rows = 50;
      Cost cost =
          costOf(
              () -> {
                Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
                scan.withStartRow(row(100)).setCaching(rows).setLimit(rows);
                try (ResultScanner scanner = table.getScanner(scan)) {
                  assertThat(scanner.next(rows + 1)).hasSize(rows);
                }
              });
      assertThat(cost.requests).isEqualTo(1);
      // One row more may come, by which HBase knows that the last row is whole.
      assertThat(cost.bytes).isLessThanOrEqualTo((rows + 1) * (VALUE_BYTES + 60L) + 150);
    }
  }

  @Test
  void theGetsOfOneCallCostOneRequestAndTheirCells() throws Exception {
    TableName name = table("multi");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        gets.add(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row(i * 7919 % ROWS))));
      }
      Cost cost =
          costOf(
              () -> {
                for (Result result : table.get(gets)) {
                  assertThat(result.value()).hasSize(VALUE_BYTES);
                }
              });
      assertThat(cost.requests).isEqualTo(1);
      assertThat(cost.bytes).isLessThanOrEqualTo(100 * (VALUE_BYTES + 60L) + 150);
      assertThat(inPerValueByte(cost, 100)).isLessThanOrEqualTo(1.05);
      double least = Double.MAX_VALUE;
      for (int i = 0; i < 5; i++) {
        Cost few = costOf(() -> table.get(gets.subList(0, 8)));
        assertThat(few.requests).isEqualTo(1);
        least = Math.min(least, inPerValueByte(few, 8));
      }
      // Not each: what is asked to measure the line comes over the same connections.
      assertThat(least).isLessThanOrEqualTo(1.05);
      // A Get that asks for something else has a request of its own, with the cells it wants.
      gets.add(gets.get(3));
      gets.add(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row(1)).addColumn(FAMILY, row(1))));
      assertThat(costOf(() -> assertThat(table.get(gets)).hasSize(102)).requests).isEqualTo(2);
    }
  }

  /** Rows of 100 columns of 100 bytes each. */
  private static TableName wideTable(String name, int rows) throws IOException {
    TableName wide = table(name);
    try (Table table = cluster.connection().getTable(wide)) {
      for (int row = 0; row < rows; row++) {
        Put put = new Put(row(row));
        for (int column = 0; column < 100; column++) {
          put.addColumn(FAMILY, column(column), new byte[100]);
        }
        table.put(put);
      }
    }
    cluster.util.flush(wide);
    return wide;
  }

  private static byte[] column(int column) {
    return Bytes.toBytes(String.format("c%02d", column));
  }

  @Test
  void aFilteredScanCostsTheCellsThatPass() throws Exception {
    TableName name = wideTable("filtered", 300);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      for (int percent : new int[] {0, 50, 90, 95}) {
        for (Filter filter : dropping(percent)) {
          Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
          scan.setFilter(filter).withStartRow(row(50)).setLimit(100);
          long[] cellBytes = new long[1];
          Cost cost =
              costOf(
                  () -> {
                    try (ResultScanner scanner = table.getScanner(scan)) {
                      for (Result result : scanner) {
                        assertThat(result.size()).isEqualTo(100 - percent);
                        cellBytes[0] += Result.getTotalSizeOfCells(result);
                      }
                    }
                  });
          assertThat(cellBytes[0]).isPositive();
          assertThat(cost.bytes)
              .as(filter.toString())
              .isLessThanOrEqualTo((long) (cellBytes[0] * 1.2));
        }
      }
    }
  }

  /** Filters that drop that many of a hundred columns, each class in its own way. */
  private static List<Filter> dropping(int percent) {
    byte[] first = column(percent);
    return List.of(
        new QualifierFilter(CompareOperator.GREATER_OR_EQUAL, new BinaryComparator(first)),
        new ColumnRangeFilter(first, true, null, false),
        new FilterList(
            new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(new byte[100])),
            new QualifierFilter(CompareOperator.GREATER_OR_EQUAL, new BinaryComparator(first))));
  }

  @Test
  void countingRowsCostsTwoKeysOfEach() throws Exception {
    TableName name = wideTable("counted", 300);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
      scan.setFilter(new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter()));
      Cost cost =
          costOf(
              () -> {
                try (ResultScanner scanner = table.getScanner(scan)) {
                  assertThat(scanner).hasSize(300);
                }
              });
      assertThat(cost.bytes).isLessThanOrEqualTo(2 * 300 * 60L + cost.requests * 200);
    }
  }

  @Test
  void aFilterOnOneColumnCostsTheRowsThatPass() throws Exception {
    TableName name = wideTable("rows", 300);
    try (Table table = cluster.connection().getTable(name)) {
      for (int row = 0; row < 300; row += 10) {
        table.put(new Put(row(row)).addColumn(FAMILY, column(40), row(row)));
      }
      cluster.util.flush(name);
      cluster.util.compact(name, true);
      connect(table);
      Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
      scan.setFilter(
          new SingleColumnValueFilter(
              FAMILY,
              column(40),
              CompareOperator.EQUAL,
              new BinaryPrefixComparator(Bytes.toBytes("row"))));
      Cost cost =
          costOf(
              () -> {
                try (ResultScanner scanner = table.getScanner(scan)) {
                  assertThat(scanner).hasSize(30);
                }
              });
      assertThat(cost.bytes).isLessThanOrEqualTo(30 * 100 * 160L + cost.requests * 200);
      // With cells in the memstore the daemon does not know the whole row.
      table.put(new Put(row(5)).addColumn(FAMILY, column(40), row(5)));
      try (ResultScanner scanner = table.getScanner(scan)) {
        assertThat(scanner).hasSize(31);
      }
    }
  }

  @Test
  void versionsThatAreNotAskedForCostNothing() throws Exception {
    TableName name = TableName.valueOf("versions");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(1000).build())
                .build());
    try (Table table = cluster.connection().getTable(name)) {
      table.put(new Put(row(0)).addColumn(FAMILY, QUALIFIER, new byte[1]));
      for (int version = 1; version <= 200; version++) {
        table.put(new Put(row(1)).addColumn(FAMILY, QUALIFIER, version, new byte[VALUE_BYTES]));
      }
      cluster.util.flush(name);
      connect(table);
      Get byColumn =
          MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row(1)).addColumn(FAMILY, QUALIFIER));
      Cost cost = costOf(() -> assertThat(timestamps(table.get(byColumn))).containsExactly(200L));
      assertThat(cost.requests).isEqualTo(1);
      assertThat(cost.bytes).isLessThanOrEqualTo(VALUE_BYTES + 200);
      // Without columns HBase sees that a version is one too many when it has it in hand.
      cost = costOf(() -> assertThat(timestamps(get(table, row(1)))).containsExactly(200L));
      assertThat(cost.requests).isEqualTo(1);
      assertThat(cost.bytes).isLessThanOrEqualTo(2 * (VALUE_BYTES + 100));
      // The newest is deleted: the reader needs what was trimmed.
      table.delete(new Delete(row(1)).addColumn(FAMILY, QUALIFIER, 200));
      assertThat(timestamps(table.get(byColumn))).containsExactly(199L);
      assertThat(timestamps(get(table, row(1)))).containsExactly(199L);
    }
  }

  private static List<Long> timestamps(Result result) {
    return Stream.of(result.rawCells()).map(Cell::getTimestamp).toList();
  }

  @Test
  void aScanThatStopsEarlyHasFetchedAtMostTwiceWhatItUsed() throws Exception {
    TableName name = table("early");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      for (int used : new int[] {1, 10, 50, 100, 300, 900}) {
        Read scanning =
            () -> {
              Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()).setLimit(used);
              // A filter that is not known to let all rows pass: no limit reaches the daemon.
              scan.setFilter(new RandomRowFilter(2f)).setCaching(10);
              try (ResultScanner scanner = table.getScanner(scan)) {
                for (int row = 0; row < used; row++) {
                  assertThat(scanner.next()).isNotNull();
                }
              }
            };
        long rowBytes = VALUE_BYTES + 60L;
        long most = 2 * (used + 1) * rowBytes + FIRST_BATCH_BYTES + 2 * rowBytes;
        long bytes = costOf(scanning).bytes;
        // What the scan before did not wait for may have come meanwhile.
        for (int tries = 0; tries < 3 && bytes > most; tries++) {
          bytes = costOf(scanning).bytes;
        }
        assertThat(bytes).as(used + " rows").isLessThanOrEqualTo(most);
      }
    }
  }

  @Test
  void byteMetricsAgreeWithTheConnection() throws Exception {
    TableName name = table("metrics");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      Cost gets =
          costOf(
              () -> {
                for (int row = 0; row < ROWS; row += 3) {
                  get(table, row(row));
                }
              });
      assertThat((double) gets.metricBytes).isCloseTo(gets.bytes, withinPercentage(5));
      Cost scan =
          costOf(
              () -> {
                try (ResultScanner scanner =
                    table.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))) {
                  assertThat(scanner).hasSize(ROWS);
                }
              });
      assertThat((double) scan.metricBytes).isCloseTo(scan.bytes, withinPercentage(5));
    }
  }

  @Test
  void scanMetricsShowWhatWasReadOfFiles() throws Exception {
    checkScanMetrics(table("scan_metrics"), 0);
  }

  /** HBase's own reading, with which a scan is compared, is not the client's. */
  @Test
  void scanMetricsShowNoComparison() throws Exception {
    checkScanMetrics(table("compared", Setting.VERIFY_SHARE, "1"), 1);
  }

  /**
   * @param compared scans of each that are compared with HBase's own reading
   */
  private static void checkScanMetrics(TableName name, int compared) throws IOException {
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      boolean isFirst = true;
      for (int caching : new int[] {100, Integer.MAX_VALUE}) {
        long verified = InStorageMetrics.get().verified();
        Map<String, Long> metrics = scanMetrics(table, MiniCluster.IN_STORAGE, caching);
        assertThat(InStorageMetrics.get().verified() - verified).isEqualTo(compared);
        Map<String, Long> stock = scanMetrics(table, MiniCluster.STOCK, caching);
        for (String same :
            List.of(COUNT_OF_ROWS_SCANNED_KEY_METRIC_NAME, BLOCK_BYTES_SCANNED_KEY_METRIC_NAME)) {
          assertThat(metrics.get(same)).as(same).isEqualTo(stock.get(same));
        }
        long blockBytes = stock.get(BLOCK_BYTES_SCANNED_KEY_METRIC_NAME);
        // A Get has read a block before.
        assertThat((double) metrics.get(BYTES_READ_FROM_FS_METRIC_NAME))
            .isCloseTo(isFirst ? blockBytes : 0, withinPercentage(5));
        assertThat(metrics.get(BLOCK_READ_OPS_COUNT_METRIC_NAME) > 0).isEqualTo(isFirst);
        if (!isFirst) {
          // Where an answer ends the next one looks at a block once more.
          assertThat(metrics.get(BYTES_READ_FROM_BLOCK_CACHE_METRIC_NAME))
              .isBetween(blockBytes, 2 * blockBytes);
        }
        isFirst = false;
      }
    }
  }

  private static Map<String, Long> scanMetrics(Table table, String mode, int caching)
      throws IOException {
    // HBase counts a block again when a scan becomes a stream.
    Scan scan = MiniCluster.in(mode, new Scan()).setReadType(Scan.ReadType.PREAD);
    scan.setCaching(caching).setScanMetricsEnabled(true);
    try (ResultScanner scanner = table.getScanner(scan)) {
      assertThat(scanner).hasSize(ROWS);
      return scanner.getScanMetrics().getMetricsMap(false);
    }
  }

  @Test
  void openScannersHoldNoMoreThanTheBufferAllows() throws Exception {
    TableName name = table("buffers");
    write(name, 0, 1);
    try (Table table = cluster.connection().getTable(name)) {
      connect(table);
      // With a limit the first batch asks for all rows; without, batches grow.
      for (Filter filter : new Filter[] {null, new RandomRowFilter(2f)}) {
        List<ResultScanner> scanners = new ArrayList<>();
        long most = 0;
        for (int i = 0; i < OPEN_SCANNERS; i++) {
          Scan scan = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
          scanners.add(table.getScanner(scan.setFilter(filter).setCaching(200)));
        }
        for (int round = 0; round < 4; round++) {
          for (ResultScanner scanner : scanners) {
            assertThat(scanner.next(200)).hasSize(200);
            most = Math.max(most, NodesBean.heldBytes());
          }
        }
        assertThat(most)
            .isBetween(
                (long) SCAN_BUFFER_BYTES / 2,
                SCAN_BUFFER_BYTES + OPEN_SCANNERS * (FIRST_BATCH_BYTES + VALUE_BYTES + 60L));
        scanners.forEach(ResultScanner::close);
        MiniCluster.await("the buffers to be empty", () -> NodesBean.heldBytes() == 0);
      }
    }
  }
}
