package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A worker writes what HBase's compactor writes: random tables, random changes, random choices of
 * files; both compact the same files, and their files are compared cell for cell and field for
 * field. {@code -Dishbase.seed=} repeats a run, {@code -Dishbase.rounds=} makes it longer.
 */
class CompactionDifferentialTest {
  private static final int TABLES = 5;
  private static final int COMPACTIONS = 5;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              offload(conf);
              conf.setInt("ishbase.issn.compactions", TABLES);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  static void offload(Configuration conf) {
    conf.set("hbase.hstore.defaultengine.compactor.class", OffloadingCompactor.class.getName());
    conf.set("ishbase.compaction", "offload");
    conf.setInt("ishbase.compaction.min.bytes", 0);
    conf.setInt("ishbase.compaction.verify.share", 1);
    conf.setLong("hbase.hregion.max.filesize", 10L << 30);
    // What was compacted stays until the test ends: new files name what is not archived.
    conf.setInt("hbase.hfile.compaction.discharger.interval", 3_600_000);
    // Blocks smaller than 1 KB, so that small files have many.
    conf.setBoolean("hbase.table.sanity.checks", false);
  }

  @Test
  void writesWhatStockWrites() throws Exception {
    long seed = Seed.get();
    int tables = TABLES * Integer.getInteger("ishbase.rounds", 1);
    System.out.println(tables + " tables");
    Random random = new Random(seed);
    CompactionCounts compactions = new CompactionCounts();
    long verified = CompactionMetrics.get().verifiedBytes();
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int number = 0; number < tables; number++) {
      String name = "compact" + number;
      Random own = new Random(random.nextLong());
      tasks.add(() -> changeAndCompare(name, own));
    }
    // Mostly they wait for HBase's procedures.
    ExecutorService threads = Executors.newFixedThreadPool(TABLES);
    int compared = 0;
    for (Future<Integer> table : threads.invokeAll(tasks)) {
      compared += table.get();
    }
    threads.shutdown();
    assertThat(compared).isPositive();
    assertThat(compactions.offloaded()).isGreaterThanOrEqualTo(compared);
    assertThat(compactions.whyLocal()).isEmpty();
    assertThat(CompactionMetrics.get().verifiedBytes()).isGreaterThan(verified);
  }

  private static int changeAndCompare(String name, Random random) throws Exception {
    RandomCells cells = new RandomCells(random);
    RandomTable table = new RandomTable(cluster, random, cells, name);
    int compared = 0;
    for (int round = 0; round < COMPACTIONS; round++) {
      for (int change = 0; change < 25; change++) {
        table.change();
      }
      putsWithTags(table, cells);
      table.flush();
      compared += openingAScanner(table, random);
    }
    table.close();
    return compared;
  }

  /** Cells with a time to live carry it as a tag. */
  private static void putsWithTags(RandomTable random, RandomCells cells) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Put put = new Put(cells.row());
      put.addColumn(cells.family(), cells.qualifier(), cells.timestamp(), cells.value());
      put.setTTL(i % 2 == 0 ? 3_600_000_000L : 1);
      puts.add(put);
    }
    try (Table table = cluster.connection().getTable(random.name())) {
      table.put(puts);
    }
  }

  /** Compares while a reader holds the read point back, or none does. */
  private static int openingAScanner(RandomTable table, Random random) throws IOException {
    if (random.nextBoolean()) {
      return compare(table, random);
    }
    try (Table opened = cluster.connection().getTable(table.name());
        ResultScanner scanner = opened.getScanner(new Scan().setCaching(1))) {
      scanner.next();
      try (Table written = cluster.connection().getTable(table.name())) {
        for (byte[] family : new byte[][] {{'f'}, {'g'}}) {
          written.put(
              new Put(RandomCells.row(random.nextInt(RandomCells.ROWS)))
                  .addColumn(family, new byte[] {'q', '0'}, new byte[] {'n'}));
        }
      }
      table.flush();
      return compare(table, random);
    }
  }

  private static int compare(RandomTable table, Random random) throws IOException {
    int compared = 0;
    for (HRegion region : cluster.regions(table.name())) {
      for (HStore store : region.getStores()) {
        List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
        if (files.isEmpty()) {
          continue;
        }
        boolean all = random.nextBoolean();
        if (!all) {
          int from = random.nextInt(files.size());
          files = files.subList(from, from + 1 + random.nextInt(files.size() - from));
        }
        CompactionRequestImpl request = new CompactionRequestImpl(files);
        request.setIsMajor(all && random.nextBoolean(), all);
        assertSame(table, store, request);
        compared++;
      }
    }
    return compared;
  }

  private static void assertSame(RandomTable table, HStore store, CompactionRequestImpl request)
      throws IOException {
    Configuration conf = store.getReadOnlyConfiguration();
    List<Path> stock =
        new DefaultCompactor(conf, store)
            .compact(request, NoLimitThroughputController.INSTANCE, User.getCurrent());
    List<Path> offloaded =
        new OffloadingCompactor(conf, store)
            .compact(request, NoLimitThroughputController.INSTANCE, User.getCurrent());
    assertThat(offloaded).hasSameSizeAs(stock);
    FileSystem fs = store.getFileSystem();
    for (int i = 0; i < stock.size(); i++) {
      assertThat(HFileContents.of(fs, offloaded.get(i), conf))
          .as(
              () ->
                  String.join("\n", table.history())
                      + "\n"
                      + request
                      + Arrays.toString(request.getFiles().toArray()))
          .isEqualTo(HFileContents.of(fs, stock.get(i), conf));
      fs.delete(stock.get(i), false);
      fs.delete(offloaded.get(i), false);
    }
  }
}
