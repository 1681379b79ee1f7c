package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gate;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same reads, stock, in-storage and now and then over the route that the gate chooses, of the
 * same random tables: equal cell for cell. More with {@code -Dishbase.differential.operations=N},
 * another segment cache with {@code -Dishbase.differential.cache=BYTES}; those of a failure with
 * {@code -Dishbase.operations=FILE}.
 */
class DifferentialTest {
  private static final int OPERATIONS = Integer.getInteger("ishbase.differential.operations", 600);
  private static final int OPERATIONS_PER_TABLE = 200;

  /** To come to a table's failure at once. */
  private static final int FIRST_TABLE = Integer.getInteger("ishbase.differential.first", 0);

  private static final int OPERATIONS_PER_CHECK =
      Integer.getInteger("ishbase.differential.check", 10);

  /** Of four tables this one has a family with large objects, which is not cached. */
  private static final int MOB_TABLE_OF_FOUR = 3;

  /** By default so little that rows are evicted all the time. */
  private static final long CACHE_BYTES = Long.getLong("ishbase.differential.cache", 128 << 10);

  /** The rows of a table, many times over. */
  private static final long FILE_BYTES = 4 << 20;

  @TempDir private static Path home;
  private static MiniCluster cluster;

  private int queries;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              // No read is to go HBase's own way because the machine is busy.
              conf.setInt("ishbase.rpc.timeout", 20_000);
              conf.set("ishbase.answer.compression", "zstd");
              conf.set("ishbase.cache.compression", "zstd");
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
              conf.set("ishbase.cache.file", home.resolve("rows").toString());
              conf.setLong("ishbase.cache.file.bytes", FILE_BYTES);
              // Small batches, so that small scans take several.
              conf.setInt("ishbase.batch.first.bytes", 256);
              conf.setInt("ishbase.batch.max.bytes", 1024);
              conf.setLong("hbase.hregion.max.filesize", 10L << 30);
              conf.setInt("hbase.client.retries.number", 3);
              conf.setInt("hbase.rpc.timeout", 60_000);
              conf.setInt("hbase.client.scanner.timeout.period", 60_000);
              // Blocks smaller than 1 KB, so that small files have many.
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void readsEqualStock() throws Exception {
    Operations given = Operations.given();
    if (given != null) {
      compareOneTable(given, 0);
      return;
    }
    long seed = Seed.get();
    Random seeds = new Random(seed);
    InStorageMetrics metrics = InStorageMetrics.get();
    long requestsBefore = metrics.requests();
    for (int number = 0; number < OPERATIONS / OPERATIONS_PER_TABLE; number++) {
      Operations operations = Operations.draw(seeds, OPERATIONS_PER_TABLE);
      int table = number;
      if (number >= FIRST_TABLE) {
        operations.run(
            "differential-" + seed + "-" + table, tried -> compareOneTable(tried, table));
      }
    }
    long requests = metrics.requests() - requestsBefore;
    System.out.println(queries + " queries, " + requests + " requests to daemons");
    System.out.println("  differences that are known: " + Comparison.known());
    for (Gate.Route route : Gate.Route.values()) {
      System.out.println("  auto: " + route + " " + metrics.routes(route));
      assertThat(metrics.routes(route)).as(route.name()).isPositive();
    }
    System.out.println(metrics.gapsEntered() + " gaps entered; filters pushed down:");
    assertThat(requests).as("requests to daemons").isGreaterThan(queries / 6);
    for (FilterScope scope : FilterScope.values()) {
      System.out.println("  " + scope + " " + metrics.pushedFilters(scope));
    }
    // By version and by row depend on the seed; tests of costs have them for certain.
    assertThat(metrics.pushedFilters(FilterScope.BY_COLUMN)).isPositive();
    assertThat(metrics.gapsEntered()).as("gaps entered").isPositive();
  }

  private void compareOneTable(Operations operations, int number) throws Exception {
    Random random = operations.random();
    // The daemon judges more if the memstore is empty: in every second table it mostly is.
    boolean flushes = random.nextBoolean();
    RandomCells cells = new RandomCells(random);
    RandomTable table =
        new RandomTable(
            cluster, random, cells, "t" + number, Map.of(), number % 4 == MOB_TABLE_OF_FOUR);
    Comparison comparison = new Comparison(random, table::history);
    RandomQueries drawn = new RandomQueries(random, cells);
    try (Table client = cluster.connection().getTable(table.name())) {
      operations.each(
          random,
          () -> {
            boolean checks = random.nextInt(OPERATIONS_PER_CHECK) == 0;
            if (random.nextInt(3) == 0) {
              table.change();
              if (flushes) {
                table.flush();
              }
            } else {
              compare(client, comparison, drawn, random);
            }
            if (checks) {
              assertThat(NodesBean.checkCache())
                  .as(() -> String.join("\n", table.history()))
                  .isEmpty();
            }
          });
      // Not the references on store files: stock HBase's own scanners leak them when a filter
      // throws.
      MiniCluster.await("node scanners to close", () -> InStorageMetrics.get().openScanners() == 0);
    } finally {
      table.close();
    }
  }

  private void compare(Table client, Comparison comparison, RandomQueries drawn, Random random)
      throws IOException {
    queries++;
    if (random.nextInt(6) == 0) {
      comparison.of(client, drawn.gets());
    } else if (random.nextBoolean()) {
      comparison.of(client, drawn.get());
    } else {
      comparison.of(client, drawn.scan());
    }
  }

  /**
   * Reads while flushes and compactions move the cells that are read. Everything up to a moment is
   * known; writers add newer cells only; reads ask for what is older than the moment.
   */
  @Test
  void readsStayRightWhileFilesChange() throws Exception {
    long seed = Seed.get();
    TableName name = TableName.valueOf("moving");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                        .setMaxVersions(Integer.MAX_VALUE)
                        .setBlocksize(512)
                        .build())
                .build());
    int rows = 500;
    long moment = 1000;
    Map<String, String> known = new HashMap<>();
    Random random = new Random(seed);
    try (Table table = cluster.connection().getTable(name)) {
      for (int row = 0; row < rows; row++) {
        String value = "old" + random.nextInt();
        known.put(Bytes.toString(RandomCells.row(row)), value);
        table.put(put(row, random.nextInt((int) moment), value));
      }
    }
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      Future<Integer> writer = pool.submit(() -> write(name, rows, moment, done, seed));
      Future<Integer> mover = pool.submit(() -> move(name, done));
      long requestsBefore = InStorageMetrics.get().requests();
      try (Table table = cluster.connection().getTable(name)) {
        for (int round = 0; round < 60; round++) {
          checkKnown(table, known, moment, random);
        }
      } finally {
        done.set(true);
      }
      assertThat(writer.get(1, TimeUnit.MINUTES)).isPositive();
      assertThat(mover.get(1, TimeUnit.MINUTES)).isPositive();
      assertThat(InStorageMetrics.get().requests()).isGreaterThan(requestsBefore);
    } finally {
      pool.shutdownNow();
    }
    cluster.util.deleteTable(name);
  }

  private static Put put(int row, long timestamp, String value) {
    return new Put(RandomCells.row(row))
        .addColumn(Bytes.toBytes("f"), Bytes.toBytes("q"), timestamp, Bytes.toBytes(value));
  }

  private static int write(TableName name, int rows, long moment, AtomicBoolean done, long seed)
      throws IOException {
    Random random = new Random(seed);
    int written = 0;
    try (Table table = cluster.connection().getTable(name)) {
      while (!done.get()) {
        table.put(put(random.nextInt(rows), moment + random.nextInt(1000), "new" + written++));
      }
    }
    return written;
  }

  private static int move(TableName name, AtomicBoolean done) throws IOException {
    int moves = 0;
    while (!done.get()) {
      cluster.util.flush(name);
      if (moves++ % 3 == 2) {
        cluster.util.compact(name, moves % 2 == 0);
      }
    }
    return moves;
  }

  private static void checkKnown(Table table, Map<String, String> known, long moment, Random random)
      throws IOException {
    Map<String, String> read = new HashMap<>();
    Scan scan =
        MiniCluster.in(MiniCluster.IN_STORAGE, new Scan())
            .setTimeRange(0, moment)
            .readAllVersions()
            .setCaching(20);
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        assertThat(result.rawCells()).hasSize(1);
        read.put(Bytes.toString(result.getRow()), Bytes.toString(result.value()));
      }
    }
    assertThat(read).isEqualTo(known);
    for (int i = 0; i < 20; i++) {
      byte[] row = RandomCells.row(random.nextInt(known.size()));
      Result result =
          table.get(
              MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row))
                  .setTimeRange(0, moment)
                  .readAllVersions());
      assertThat(Bytes.toString(result.value())).isEqualTo(known.get(Bytes.toString(row)));
    }
  }
}
