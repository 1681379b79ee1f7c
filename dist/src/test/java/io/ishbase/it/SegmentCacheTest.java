package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
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
import org.apache.hadoop.hbase.client.metrics.ServerSideScanMetrics;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the segment cache saves, and what changes of a store's files do to it. */
class SegmentCacheTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] B = Bytes.toBytes("b");
  private static final int ROWS = 200;
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;
  private TableName name;
  private Table table;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setLong("ishbase.cache.bytes", 16 << 20);
              // A Get waits for another of its row for a part of that.
              conf.setInt("ishbase.rpc.timeout", 20_000);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** A table of {@value #ROWS} rows of two columns in one file. */
  @BeforeEach
  void createTable() throws IOException {
    name = TableName.valueOf("t" + TABLES.incrementAndGet());
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build());
    table = cluster.connection().getTable(name);
    for (int i = 0; i < ROWS; i++) {
      table.put(put(i, 100, "old"));
    }
    flush();
  }

  @AfterEach
  void dropTable() throws IOException {
    table.close();
    cluster.util.deleteTable(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private static Put put(int row, long timestamp, String value) {
    return new Put(row(row), timestamp)
        .addColumn(FAMILY, A, Bytes.toBytes(value + row))
        .addColumn(FAMILY, B, Bytes.toBytes("b" + row));
  }

  private void flush() throws IOException {
    cluster.util.getAdmin().flush(name);
  }

  private void compact() throws IOException {
    cluster.util.compact(name, true);
  }

  private String value(int row) throws IOException {
    return Bytes.toString(table.get(new Get(row(row))).getValue(FAMILY, A));
  }

  private List<String> scan(Scan scan) throws IOException {
    List<String> values = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        values.add(Bytes.toString(result.getValue(FAMILY, A)));
      }
    }
    return values;
  }

  private static List<String> old(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "old" + i).toList();
  }

  private static Scan rows(int from, int to) {
    return new Scan().withStartRow(row(from)).withStopRow(row(to));
  }

  private static long requests(Callable<?> read) throws Exception {
    long before = InStorageMetrics.get().requests();
    read.call();
    return InStorageMetrics.get().requests() - before;
  }

  @Test
  void aRowIsFetchedOnce() throws Exception {
    assertThat(requests(() -> value(7))).isEqualTo(1);
    assertThat(requests(() -> assertThat(value(7)).isEqualTo("old7"))).isZero();
  }

  @Test
  void whoClearsTheBlockCacheOfATableClearsThis() throws Exception {
    TableName other = TableName.valueOf("other");
    try (Table kept = cluster.util.createTable(other, FAMILY)) {
      kept.put(put(7, 100, "old"));
      cluster.util.getAdmin().flush(other);
      Get get = MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row(7)));
      assertThat(requests(() -> kept.get(get))).isEqualTo(1);
      assertThat(requests(() -> value(7))).isEqualTo(1);
      cluster.util.getAdmin().clearBlockCache(name);
      assertThat(requests(() -> assertThat(value(7)).isEqualTo("old7"))).isEqualTo(1);
      assertThat(requests(() -> value(7))).isZero();
      assertThat(requests(() -> kept.get(get))).isZero();
    } finally {
      cluster.util.deleteTable(other);
    }
  }

  @Test
  void anAbsentRowIsAskedForOnce() throws Exception {
    Get absent = new Get(Bytes.toBytes("row00007a"));
    assertThat(requests(() -> table.get(absent))).isEqualTo(1);
    assertThat(requests(() -> assertThat(table.get(absent).isEmpty()).isTrue())).isZero();
  }

  /** As HBase counts what its block cache has. */
  @Test
  void whatIsCachedCountsAsBlocks() throws Exception {
    TableName other = TableName.valueOf("blocks");
    try (Table blocks =
        cluster.util.createTable(
            TableDescriptorBuilder.newBuilder(other)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(2048).build())
                .build(),
            null)) {
      byte[] value = new byte[300];
      for (int i = 0; i < ROWS; i++) {
        new Random(i).nextBytes(value);
        blocks.put(new Put(row(i)).addColumn(FAMILY, A, value));
      }
      cluster.util.getAdmin().flush(other);
      Scan all = new Scan();
      Scan one = new Scan().withStartRow(row(7)).withStopRow(row(7), true);
      long ofStock = blockBytes(blocks, MiniCluster.STOCK, all);
      assertThat(blockBytes(blocks, MiniCluster.IN_STORAGE, all)).isEqualTo(ofStock);
      assertThat(requests(() -> blockBytes(blocks, MiniCluster.IN_STORAGE, all))).isZero();
      assertThat((double) blockBytes(blocks, MiniCluster.IN_STORAGE, all))
          .isCloseTo(ofStock, withinPercentage(20));
      assertThat(blockBytes(blocks, MiniCluster.IN_STORAGE, one)).isEqualTo(2048);
      assertThat((double) blockBytes(blocks, MiniCluster.STOCK, one))
          .isCloseTo(2048, withinPercentage(20));
    } finally {
      cluster.util.deleteTable(other);
    }
  }

  private static long blockBytes(Table table, String mode, Scan rows) throws IOException {
    Scan scan = MiniCluster.in(mode, new Scan(rows)).setReadType(Scan.ReadType.PREAD);
    try (ResultScanner scanner = table.getScanner(scan.setScanMetricsEnabled(true))) {
      scanner.forEach(row -> {});
      return scanner
          .getScanMetrics()
          .getMetricsMap(false)
          .get(ServerSideScanMetrics.BLOCK_BYTES_SCANNED_KEY_METRIC_NAME);
    }
  }

  @Test
  void someColumnsOfARowServeGetsOfThoseColumns() throws Exception {
    Get a = new Get(row(7)).addColumn(FAMILY, A);
    assertThat(requests(() -> table.get(a))).isEqualTo(1);
    assertThat(requests(() -> assertThat(table.get(a).value()).isEqualTo(Bytes.toBytes("old7"))))
        .isZero();
    assertThat(requests(() -> assertThat(table.get(new Get(row(7))).size()).isEqualTo(2)))
        .isEqualTo(1);
    assertThat(requests(() -> table.get(new Get(row(7)).addColumn(FAMILY, B)))).isZero();
  }

  private static Get slice(byte[] row, String from, String to, int limit) {
    return new Get(row)
        .setFilter(
            new FilterList(
                new ColumnRangeFilter(Bytes.toBytes(from), true, Bytes.toBytes(to), false),
                new ColumnPaginationFilter(limit, 0)));
  }

  /** As graph stores read: edges of some vertices, with a limit, in one call. */
  @Test
  void slicesOfRowsAreFetchedOnce() throws Exception {
    List<byte[]> vertices = IntStream.range(0, 5).mapToObj(i -> Bytes.toBytes("v" + i)).toList();
    for (byte[] vertex : vertices) {
      Put put = new Put(vertex, 100);
      for (int edge = 100; edge < 150; edge++) {
        put.addColumn(FAMILY, Bytes.toBytes("e" + edge), vertex);
      }
      table.put(put);
    }
    flush();
    List<Get> slices = vertices.stream().map(v -> slice(v, "e110", "e120", 20)).toList();
    long cells = InStorageMetrics.get().cells();
    assertThat(requests(() -> assertThat(table.get(slices)).allMatch(r -> r.size() == 10)))
        .isEqualTo(1);
    assertThat(InStorageMetrics.get().cells() - cells).isEqualTo(5 * 10);
    assertThat(requests(() -> assertThat(table.get(slices)).allMatch(r -> r.size() == 10)))
        .isZero();
    byte[] vertex = vertices.get(3);
    assertThat(requests(() -> table.get(slice(vertex, "e112", "e115", 2)))).isZero();
    assertThat(requests(() -> table.get(slice(vertex, "e120", "e125", 20)))).isEqualTo(1);
    Get union = slice(vertex, "e110", "e125", 20);
    assertThat(requests(() -> assertThat(table.get(union).size()).isEqualTo(15))).isZero();
    table.put(new Put(vertex, 200).addColumn(FAMILY, Bytes.toBytes("e1105"), vertex));
    table.put(new Put(vertex, 200).addColumn(FAMILY, Bytes.toBytes("e130"), vertex));
    flush();
    assertThat(requests(() -> assertThat(table.get(union).size()).isEqualTo(16))).isZero();
    table.delete(new Delete(vertex).addColumns(FAMILY, Bytes.toBytes("e111")));
    flush();
    assertThat(requests(() -> assertThat(table.get(union).size()).isEqualTo(15))).isZero();
    compact();
    assertThat(requests(() -> assertThat(table.get(union).size()).isEqualTo(15))).isEqualTo(1);
    assertThat(requests(() -> assertThat(table.get(slices)).allMatch(r -> r.size() >= 10)))
        .isZero();
  }

  @Test
  void aScanServesGetsAndScans() throws Exception {
    assertThat(scan(rows(20, 120))).isEqualTo(old(20, 120));
    assertThat(requests(() -> assertThat(scan(rows(20, 120))).isEqualTo(old(20, 120)))).isZero();
    assertThat(requests(() -> assertThat(scan(rows(50, 60))).isEqualTo(old(50, 60)))).isZero();
    assertThat(requests(() -> assertThat(value(119)).isEqualTo("old119"))).isZero();
    assertThat(requests(() -> table.get(new Get(Bytes.toBytes("row00050a"))))).isZero();
  }

  @Test
  void aScanFetchesOnlyWhatLiesBetweenRuns() throws Exception {
    scan(rows(0, 80));
    scan(rows(100, 180));
    long cells = InStorageMetrics.get().cells();
    assertThat(requests(() -> assertThat(scan(rows(10, 170))).isEqualTo(old(10, 170))))
        .isEqualTo(1);
    assertThat(InStorageMetrics.get().cells() - cells).isEqualTo(2 * 20);
    assertThat(requests(() -> scan(rows(0, 180)))).isZero();
  }

  @Test
  void aScanPassesOverShortRuns() throws Exception {
    for (int i = 0; i < 100; i += 10) {
      value(i);
    }
    assertThat(requests(() -> assertThat(scan(rows(5, 105))).isEqualTo(old(5, 105)))).isEqualTo(1);
  }

  @Test
  void whatIsNotToBeCachedIsNot() throws Exception {
    Get get = new Get(row(7)).setCacheBlocks(false);
    table.get(get);
    assertThat(requests(() -> table.get(get))).isEqualTo(1);
    scan(rows(0, 50).setCacheBlocks(false));
    assertThat(requests(() -> value(8))).isEqualTo(1);
  }

  @Test
  void theGetsOfACallFetchWhatIsMissing() throws Exception {
    scan(rows(0, 50));
    List<Get> gets = IntStream.range(45, 55).mapToObj(i -> new Get(row(i))).toList();
    long cells = InStorageMetrics.get().cells();
    assertThat(requests(() -> assertThat(table.get(gets)).hasSize(10))).isEqualTo(1);
    assertThat(InStorageMetrics.get().cells() - cells).isEqualTo(2 * 5);
    assertThat(requests(() -> table.get(gets))).isZero();
  }

  @Test
  void concurrentGetsOfARowMakeOneRequest() throws Exception {
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier start = new CyclicBarrier(threads);
    try {
      long requests =
          requests(
              () -> {
                List<Future<String>> values = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                  values.add(
                      pool.submit(
                          () -> {
                            start.await();
                            return value(33);
                          }));
                }
                for (Future<String> value : values) {
                  assertThat(value.get()).isEqualTo("old33");
                }
                return null;
              });
      assertThat(requests).isEqualTo(1);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aFlushCostsNoRow() throws Exception {
    scan(rows(0, ROWS));
    table.put(put(7, 200, "new"));
    table.delete(new Delete(row(8)));
    table.put(put(ROWS + 5, 200, "new"));
    assertThat(requests(() -> assertThat(value(7)).isEqualTo("new7"))).isZero();
    flush();
    assertThat(
            requests(
                () -> {
                  assertThat(value(7)).isEqualTo("new7");
                  assertThat(value(8)).isNull();
                  return assertThat(scan(rows(0, ROWS)))
                      .hasSize(ROWS - 1)
                      .contains("new7", "old6", "old9");
                }))
        .isZero();
    assertThat(value(ROWS + 5)).isEqualTo("new" + (ROWS + 5));
  }

  /** HBase's own loss: the segment left before the cell said that it has tags. */
  @Test
  void tagsThatAFlushDoesNotWriteAreNotCached() throws Exception {
    cluster.util.deleteTable(name);
    int segmentBytes = 4096;
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setInMemoryCompaction(MemoryCompactionPolicy.BASIC)
                        .build())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .setMemStoreFlushSize(1 << 20)
                .setValue(
                    "hbase.memstore.inmemoryflush.threshold.factor",
                    String.valueOf((double) segmentBytes / (1 << 20)))
                .build());
    table.put(put(0, 100, "old"));
    flush();
    assertThat(requests(() -> table.get(new Get(row(0))))).isOne();
    assertThat(requests(() -> table.get(new Get(row(0))))).isZero();
    table.put(
        new Put(row(0), 200)
            .addColumn(FAMILY, A, new byte[2 * segmentBytes])
            .setTTL(Long.MAX_VALUE / 2));
    flush();

    HRegion region = cluster.util.getMiniHBaseCluster().getRegions(name).get(0);
    assertThat(requests(() -> table.get(new Get(row(0))))).isZero();
    Result ours = region.get(new Get(row(0)));
    Result stock = region.get(MiniCluster.in(MiniCluster.STOCK, new Get(row(0))));
    Result.compareResults(ours, stock);
    assertThat(ours.getValue(FAMILY, A)).hasSize(2 * segmentBytes);
    assertThat(tagBytes(stock)).as("of HBase").isZero();
    assertThat(tagBytes(ours)).isZero();
  }

  private static int tagBytes(Result result) {
    return Arrays.stream(result.rawCells()).mapToInt(Cell::getTagsLength).sum();
  }

  @Test
  void aCompactionCostsNoCleanRow() throws Exception {
    scan(rows(0, ROWS));
    table.put(put(ROWS, 200, "other"));
    flush();
    compact();
    assertThat(requests(() -> assertThat(scan(rows(0, ROWS))).isEqualTo(old(0, ROWS)))).isZero();
  }

  @Test
  void aDeleteMarkerThatACompactionDroppedHidesNothing() throws Exception {
    table.delete(new Delete(row(7), 150));
    flush();
    assertThat(value(7)).isNull();
    compact();
    table.put(put(7, 120, "back"));
    assertThat(value(7)).isEqualTo("back7");
    flush();
    assertThat(value(7)).isEqualTo("back7");
  }

  @Test
  void aVersionThatACompactionDroppedDoesNotComeBack() throws Exception {
    table.put(put(7, 200, "new"));
    flush();
    assertThat(value(7)).isEqualTo("new7");
    compact();
    table.delete(new Delete(row(7)).addColumn(FAMILY, A, 200));
    assertThat(value(7)).isNull();
  }

  /** The cache does not keep versions beyond the maximum, but the files still do. */
  @Test
  void whoMaySeeOldVersionsSeesThem() throws Exception {
    scan(rows(0, ROWS));
    table.put(put(7, 200, "new"));
    flush();
    assertThat(requests(() -> assertThat(value(7)).isEqualTo("new7"))).isZero();
    assertThat(requests(() -> scan(rows(6, 9)))).isZero();
    for (int i = 0; i < 2; i++) {
      assertThat(scan(rows(6, 9).setTimeRange(0, 200))).isEqualTo(old(6, 9));
      Get old = new Get(row(7)).setTimeRange(0, 200);
      assertThat(Bytes.toString(table.get(old).getValue(FAMILY, A))).isEqualTo("old7");
    }
    table.delete(new Delete(row(7)).addColumn(FAMILY, A, 200));
    assertThat(value(7)).isEqualTo("old7");
    // Not even then, as the marker may hide what this flush writes.
    table.put(put(7, 300, "newer"));
    table.delete(new Delete(row(7)).addColumn(FAMILY, A, 300));
    flush();
    assertThat(value(7)).isEqualTo("old7");
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  @Test
  void aRowThatAFlushBroughtOutlivesACompaction() throws Exception {
    scan(rows(0, ROWS));
    for (int i = 0; i < 20; i++) {
      table.put(put(i, 200, "new"));
    }
    flush();
    compact();
    assertThat(requests(() -> assertThat(value(7)).isEqualTo("new7"))).isZero();
    assertThat(requests(() -> assertThat(scan(rows(20, ROWS))).isEqualTo(old(20, ROWS)))).isZero();
  }

  /** A scan that is open may want what a flush hides from others. */
  @Test
  void aScanThatIsOlderThanAFlushSeesItsOwnVersions() throws Exception {
    scan(rows(0, ROWS));
    List<String> values = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(rows(0, ROWS).setCaching(1))) {
      values.add(Bytes.toString(scanner.next().getValue(FAMILY, A)));
      table.put(put(50, 200, "new"));
      flush();
      assertThat(value(50)).isEqualTo("new50");
      for (Result result : scanner) {
        values.add(Bytes.toString(result.getValue(FAMILY, A)));
      }
    }
    assertThat(values).isEqualTo(old(0, ROWS));
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  /** The scan's own memstore scanners still show what the compaction dropped with its marker. */
  @Test
  void aScanThatIsOlderThanACompactionSeesItsOwnFiles() throws Exception {
    scan(rows(0, ROWS));
    table.delete(new Delete(row(50), 150));
    flush();
    table.put(put(50, 120, "hidden"));
    List<String> values = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(rows(0, ROWS).setCaching(1))) {
      values.add(Bytes.toString(scanner.next().getValue(FAMILY, A)));
      flush();
      compact();
      assertThat(value(50)).isNull();
      for (Result result : scanner) {
        values.add(Bytes.toString(result.getValue(FAMILY, A)));
      }
    }
    assertThat(values).hasSize(ROWS - 1).doesNotContain("hidden50").contains("old49", "old51");
  }

  /** A filter that no daemon has: seeks from row 5 to row 150. */
  public static final class Leap extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      int row = Integer.parseInt(Bytes.toString(CellUtil.cloneRow(cell)).substring(3));
      return row < 5 || row >= 150 ? ReturnCode.INCLUDE : ReturnCode.SEEK_NEXT_USING_HINT;
    }

    @Override
    public Cell getNextCellHint(Cell cell) {
      return PrivateCellUtil.createFirstOnRow(row(150));
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static Leap parseFrom(byte[] bytes) {
      return new Leap();
    }
  }

  @Test
  void aSeekBeyondTheEndOfAScanEndsIt() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(scan(rows(0, 100).setFilter(new Leap()).setCaching(2))).isEqualTo(old(0, 5));
    }
    assertThat(scan(rows(0, ROWS))).isEqualTo(old(0, ROWS));
  }

  @Test
  void aBulkLoadIsSeen() throws Exception {
    scan(rows(0, ROWS));
    Path family = new Path(cluster.util.getDataTestDirOnTestFS("bulk" + name), "f");
    try (HFile.Writer writer =
        HFile.getWriterFactory(
                cluster.util.getConfiguration(), new CacheConfig(cluster.util.getConfiguration()))
            .withPath(family.getFileSystem(cluster.util.getConfiguration()), new Path(family, "x"))
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      for (int i = 10; i < 20; i++) {
        writer.append(new KeyValue(row(i), FAMILY, A, 300, Bytes.toBytes("bulk" + i)));
      }
    }
    BulkLoadHFiles.create(cluster.util.getConfiguration()).bulkLoad(name, family.getParent());
    assertThat(scan(rows(9, 12))).containsExactly("old9", "bulk10", "bulk11");
    assertThat(value(19)).isEqualTo("bulk19");
    assertThat(requests(() -> assertThat(value(50)).isEqualTo("old50"))).isZero();
  }

  @Test
  void aTruncatedTableIsEmpty() throws Exception {
    scan(rows(0, ROWS));
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().truncateTable(name, true);
    assertThat(scan(rows(0, ROWS))).isEmpty();
    assertThat(value(7)).isNull();
  }
}
