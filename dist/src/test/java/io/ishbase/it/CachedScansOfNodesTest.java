package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
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
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scans of a store whose files lie on three DataNodes fill the segment cache and read from it. */
class CachedScansOfNodesTest {
  private static final int NODES = 3;
  private static final int ROWS = 300;
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;
  private TableName name;
  private Table table;
  private int files;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(NODES, conf -> conf.setLong("ishbase.cache.bytes", 16 << 20));
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** A table of {@value #ROWS} rows, of which each node has a column. */
  @BeforeEach
  void createTable() throws IOException {
    name = TableName.valueOf("t" + TABLES.incrementAndGet());
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(2).build())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .setValue(Setting.PLACEMENT.key(), "false")
                .build());
    table = cluster.connection().getTable(name);
    for (int file = 0; file < NODES; file++) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        puts.add(put(row, "q" + file, 100, "old"));
        puts.add(put(row, "q", 100 + file, "of" + file));
      }
      table.put(puts);
      flush();
    }
    assertThat(holders()).as("nodes that hold files").hasSize(NODES);
  }

  @AfterEach
  void dropTable() throws IOException {
    assertThat(NodesBean.checkCache()).isEmpty();
    table.close();
    cluster.util.deleteTable(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private static Put put(int row, String column, long timestamp, String value) {
    return new Put(row(row), timestamp)
        .addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes(value + row));
  }

  private HRegion region() {
    return cluster.regions(name).get(0);
  }

  /** Each new file goes to the next node. */
  private void flush() throws IOException {
    cluster.setHome(name, files++ % NODES);
    cluster.util.flush(name);
  }

  private Set<String> holders() throws IOException {
    Set<String> holders = new HashSet<>();
    for (HStoreFile file : region().getStore(FAMILY).getStorefiles()) {
      for (BlockLocation block :
          cluster.util.getTestFileSystem().getFileBlockLocations(file.getPath(), 0, 1)) {
        holders.addAll(List.of(block.getNames()));
      }
    }
    return holders;
  }

  private static Scan rows(int from, int to) {
    return new Scan().withStartRow(row(from)).withStopRow(row(to)).readVersions(2);
  }

  private List<String> scan(Scan scan) throws IOException {
    List<String> cells = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          cells.add(cell + "=" + Bytes.toString(CellUtil.cloneValue(cell)));
        }
      }
    }
    return cells;
  }

  /** What the scan gives, which must be what HBase reads; how many requests it took. */
  private long requests(Scan scan) throws IOException {
    List<String> stock = scan(MiniCluster.in(MiniCluster.STOCK, new Scan(scan)));
    long before = InStorageMetrics.get().requests();
    assertThat(scan(scan)).isEqualTo(stock);
    return InStorageMetrics.get().requests() - before;
  }

  private static long requests(Callable<?> read) throws Exception {
    long before = InStorageMetrics.get().requests();
    read.call();
    return InStorageMetrics.get().requests() - before;
  }

  @Test
  void theSecondScanAsksNobody() throws Exception {
    assertThat(requests(rows(20, 120))).isGreaterThanOrEqualTo(NODES);
    assertThat(requests(rows(20, 120))).isZero();
    assertThat(requests(rows(50, 60).setLimit(5))).isZero();
    assertThat(requests(() -> assertThat(table.get(new Get(row(119))).size()).isEqualTo(4)))
        .isZero();
    assertThat(requests(() -> table.get(new Get(Bytes.toBytes("row00050a"))))).isZero();
  }

  @Test
  void betweenRunsEachNodeIsAskedForTheGap() throws Exception {
    requests(rows(0, 80));
    requests(rows(100, 180));
    assertThat(requests(rows(10, 170))).isEqualTo(NODES);
    assertThat(requests(rows(0, 180))).isZero();
  }

  @Test
  void flushesCostNoRowAndCompactionsNoCleanOne() throws Exception {
    requests(rows(0, ROWS));
    table.put(put(7, "q", 200, "new"));
    table.delete(new Delete(row(8)));
    table.put(put(9, "r", 200, "new"));
    assertThat(requests(rows(0, ROWS))).isZero();
    flush();
    assertThat(requests(rows(0, ROWS))).isZero();
    table.delete(new Delete(row(10)).addColumn(FAMILY, Bytes.toBytes("q"), 102));
    flush();
    requests(rows(0, ROWS));
    cluster.util.compact(name, true);
    requests(rows(0, ROWS));
    assertThat(requests(rows(0, ROWS))).isZero();
  }

  /** Scans fill while files change beside them. */
  @Test
  void whatScansFillIsTrueWhateverBecomesOfTheFiles() throws Exception {
    Random random = new Random(Seed.get());
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              int scans = 0;
              try {
                for (int from = 0; !isOver.get(); from = (from + 37) % ROWS) {
                  scan(rows(from, from + 90).setCaching(10));
                  scans++;
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
              return scans;
            });
    try {
      for (int change = 0; change < 24; change++) {
        for (int i = 0; i < 20; i++) {
          int row = random.nextInt(ROWS);
          long timestamp = 90 + random.nextInt(20 + 5 * change);
          if (random.nextInt(6) == 0) {
            table.delete(new Delete(row(row), timestamp));
          } else {
            table.put(put(row, "q" + random.nextInt(NODES + 1), timestamp, "v" + change));
          }
        }
        flush();
        if (change % 8 == 7) {
          cluster.util.compact(name, random.nextBoolean());
        }
        requests(rows(0, ROWS));
        assertThat(NodesBean.checkCache()).isEmpty();
      }
    } finally {
      isOver.set(true);
    }
    assertThat(reader.get(2, TimeUnit.MINUTES)).isPositive();
    requests(rows(0, ROWS));
    assertThat(requests(rows(0, ROWS))).isZero();
  }
}
