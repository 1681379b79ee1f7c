package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.regionserver.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.LazySeek;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The same reads, stock and in-storage, of the same random tables: equal cell for cell. More with
 * {@code -Dishbase.differential.operations=N}, another cache with {@code
 * -Dishbase.differential.cache=BYTES}; other ones with {@code -Dishbase.seed=S}, where 0 draws one.
 */
class DifferentialTest {
  private static final int OPERATIONS = Integer.getInteger("ishbase.differential.operations", 2000);
  private static final int OPERATIONS_PER_TABLE = 200;

  private static final int OPERATIONS_PER_CHECK =
      Integer.getInteger("ishbase.differential.check", 10);

  /** By default so little that rows are evicted all the time. */
  private static final long CACHE_BYTES = Long.getLong("ishbase.differential.cache", 128 << 10);

  /** What stock HBase throws when it scans backwards over half of a file that has no cells. */
  private static final String EMPTY_HALF = "on an empty half";

  private static final List<String> EMPTY_HALF_MESSAGES =
      List.of("Seeking for a key in bottom of file", "getRowLength()\" because \"r\" is null");

  private static MiniCluster cluster;
  private static boolean stockFailedOnHalves;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
              // Small batches, so that small scans take several.
              conf.setInt("ishbase.batch.first.bytes", 256);
              conf.setInt("ishbase.batch.max.bytes", 1024);
              conf.setLong("hbase.hregion.max.filesize", 10L << 30);
              conf.setInt("hbase.client.retries.number", 3);
              conf.setInt("hbase.rpc.timeout", 15_000);
              conf.setInt("hbase.client.scanner.timeout.period", 15_000);
              // Blocks smaller than 1 KB, so that small files have many.
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static long seed() {
    long seed = Long.getLong("ishbase.seed", 1);
    if (seed == 0) {
      seed = System.nanoTime();
    }
    System.out.println("seed: -Dishbase.seed=" + seed);
    return seed;
  }

  @Test
  void readsEqualStock() throws Exception {
    Random seeds = new Random(seed());
    long requestsBefore = InStorageMetrics.get().requests();
    int queries = 0;
    for (int done = 0; done < OPERATIONS; done += OPERATIONS_PER_TABLE) {
      queries += compareOneTable(seeds.nextLong(), done / OPERATIONS_PER_TABLE);
    }
    long requests = InStorageMetrics.get().requests() - requestsBefore;
    InStorageMetrics metrics = InStorageMetrics.get();
    System.out.println(queries + " queries, " + requests + " requests to daemons");
    System.out.println(metrics.gapsEntered() + " gaps entered; filters pushed down:");
    assertThat(requests).as("requests to daemons").isGreaterThan(queries / 6);
    for (FilterScope scope : FilterScope.values()) {
      System.out.println("  " + scope + " " + metrics.pushedFilters(scope));
      assertThat(metrics.pushedFilters(scope)).as(scope.name()).isPositive();
    }
    assertThat(metrics.gapsEntered()).as("gaps entered").isPositive();
    // A filter that throws is the only thing that may go wrong at a daemon here, and what goes
    // wrong
    // in stock HBase's reader of half a file, which the daemon uses too.
    Map<Reason, Long> failures = new EnumMap<>(Reason.class);
    for (Reason reason : Reason.values()) {
      failures.put(reason, metrics.fallbacks(reason));
    }
    System.out.println("  " + failures);
    failures.remove(Reason.FILTER);
    if (stockFailedOnHalves) {
      failures.remove(Reason.FAILED);
      failures.remove(Reason.QUARANTINED);
    }
    assertThat(failures).allSatisfy((reason, count) -> assertThat(count).isZero());
  }

  private int compareOneTable(long seed, int number) throws Exception {
    Random random = new Random(seed);
    RandomCells cells = new RandomCells(random);
    RandomTable table = new RandomTable(cluster, random, cells, "t" + number);
    // The daemon judges more if the memstore is empty: in every second table it mostly is.
    boolean flushes = number % 2 == 1;
    RandomQueries queries = new RandomQueries(random, cells);
    int compared = 0;
    try (Table client = cluster.connection().getTable(table.name())) {
      for (int operation = 0; operation < OPERATIONS_PER_TABLE; operation++) {
        String last = "a change";
        if (random.nextInt(3) == 0) {
          table.change();
          if (flushes) {
            table.flush();
          }
        } else if (random.nextInt(6) == 0) {
          List<Get> gets = queries.gets();
          last = gets.toString();
          compare(client, table, gets);
          compared++;
        } else if (random.nextBoolean()) {
          Get get = queries.get();
          last = get.toString();
          compare(client, table, get);
          compared++;
        } else {
          Scan scan = queries.scan();
          last = scan.toString();
          compare(client, table, scan);
          compared++;
        }
        if (operation % OPERATIONS_PER_CHECK == 0) {
          List<String> faults = MiniCluster.checkCache();
          if (!faults.isEmpty()) {
            throw new AssertionError(
                String.join("\n", table.history())
                    + "\nafter "
                    + last
                    + "\n"
                    + String.join("\n", faults));
          }
        }
      }
      // Not the references on store files: stock HBase's own scanners leak them when a filter
      // throws.
      MiniCluster.await("node scanners to close", () -> InStorageMetrics.get().openScanners() == 0);
    }
    table.close();
    return compared;
  }

  private static void compare(Table client, RandomTable table, Get get) {
    compare(
        table,
        get,
        mode -> answer(() -> List.of(text(client.get(MiniCluster.in(mode, new Get(get)))))));
  }

  private static void compare(Table client, RandomTable table, List<Get> gets) {
    compare(table, gets, mode -> answer(() -> getAll(client, mode, gets)));
  }

  private static List<String> getAll(Table client, String mode, List<Get> gets) throws IOException {
    List<Get> copies = gets.stream().map(get -> MiniCluster.in(mode, new Get(get))).toList();
    return Stream.of(client.get(copies)).map(DifferentialTest::text).toList();
  }

  private static void compare(Table client, RandomTable table, Scan scan) {
    compare(table, scan, mode -> answer(() -> scan(client, MiniCluster.in(mode, new Scan(scan)))));
  }

  private static void compare(
      RandomTable table, Object query, Function<String, List<String>> reader) {
    List<String> stock = reader.apply(MiniCluster.STOCK);
    List<String> inStorage = reader.apply(MiniCluster.IN_STORAGE);
    boolean hangs = stock.toString().contains("Timeout");
    if (stock.equals(inStorage)) {
      // What the first reading left in the cache serves the second.
      inStorage = reader.apply(MiniCluster.IN_STORAGE);
    }
    boolean failedOnHalf = stock.toString().contains(EMPTY_HALF);
    stockFailedOnHalves |= failedOnHalf;
    if (stock.equals(inStorage) && !hangs) {
      return;
    }
    if (failedOnHalf) {
      return;
    }
    List<String> eager = hangs ? List.of() : withoutLazySeeks(reader);
    if (!stock.isEmpty() && stock.get(0).startsWith("threw") && eager.equals(inStorage)) {
      // HBase's lazy seeks break some reads; in-storage reads have none and need not break too.
      return;
    }
    String difference =
        String.join("\n", table.history())
            + "\nquery      "
            + query
            + "\nstock      "
            + String.join("\n           ", stock)
            + "\nin-storage "
            + String.join("\n           ", inStorage)
            + "\nthe same query again "
            + (inStorage.equals(reader.apply(MiniCluster.IN_STORAGE)) ? "agrees" : "differs")
            + "; fallbacks "
            + InStorageMetrics.get().fallbacks()
            + "\nstock without lazy seeks "
            + String.join("\n           ", eager);
    // A hanging read keeps the cluster from stopping: said at once.
    System.out.println(difference);
    throw new AssertionError("in-storage differs from stock, or stock hangs\n" + difference);
  }

  private static List<String> withoutLazySeeks(Function<String, List<String>> reader) {
    LazySeek.enable(false);
    try {
      return reader.apply(MiniCluster.STOCK);
    } finally {
      LazySeek.enable(true);
    }
  }

  private interface Query {
    List<String> run() throws IOException;
  }

  // What stock refuses, in-storage must refuse alike.
  private static List<String> answer(Query query) {
    try {
      return query.run();
    } catch (IOException | RuntimeException e) {
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return List.of(
          EMPTY_HALF_MESSAGES.stream().anyMatch(String.valueOf(root.getMessage())::contains)
              ? "threw " + EMPTY_HALF
              : "threw " + root.getClass().getName());
    }
  }

  // Where a partial result ends depends on the size of cells in the server's memory, which differs
  // from one read of a block to the next in stock HBase too: there only the cells are compared.
  private static List<String> scan(Table client, Scan scan) throws IOException {
    boolean asCells = scan.getAllowPartialResults() || scan.getBatch() > 0;
    List<String> results = new ArrayList<>();
    try (ResultScanner scanner = client.getScanner(scan)) {
      for (Result result : scanner) {
        if (asCells) {
          for (Cell cell : result.rawCells()) {
            results.add(text(cell));
          }
        } else {
          results.add(text(result));
        }
      }
    }
    return results;
  }

  private static String text(Result result) {
    if (result.getExists() != null) {
      return "exists " + result.getExists();
    }
    StringBuilder text = new StringBuilder();
    for (Cell cell : result.rawCells()) {
      text.append(text(cell)).append("; ");
    }
    return text.append(result.mayHaveMoreCellsInRow()).toString();
  }

  private static String text(Cell cell) {
    return CellUtil.getCellKeyAsString(cell)
        + "="
        + Bytes.toStringBinary(CellUtil.cloneValue(cell));
  }

  /**
   * Reads while flushes and compactions move the cells that are read. Everything up to a moment is
   * known; writers add newer cells only; reads ask for what is older than the moment.
   */
  @Test
  void readsStayRightWhileFilesChange() throws Exception {
    long seed = seed();
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
