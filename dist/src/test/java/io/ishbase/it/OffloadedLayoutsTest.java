package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.Compactor;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactor;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker divides what it writes as HBase's stripe and date-tiered compactors do: random tables,
 * changes, choices of files, boundaries and windows; both compact the same, and their files are
 * compared cell for cell and field for field. {@code -Dishbase.seed=} repeats a run, {@code
 * -Dishbase.rounds=} makes it longer.
 */
class OffloadedLayoutsTest {
  private static final int TABLES = 2;
  private static final int COMPACTIONS = 3;
  private static final String ENGINE = "hbase.hstore.engine.class";

  private static MiniCluster cluster;

  /** HBase's engines whose compactors write several files. */
  enum Engine {
    STRIPE(
        Map.of(
            ENGINE,
            StripeStoreEngine.class.getName(),
            "hbase.store.stripe.initialStripeCount",
            "3",
            "hbase.store.stripe.compaction.minFilesL0",
            "2")),
    DATE_TIERED(
        Map.of(
            ENGINE,
            DateTieredStoreEngine.class.getName(),
            "hbase.hstore.compaction.date.tiered.base.window.millis",
            "60000"));

    private final Map<String, String> settings;

    Engine(Map<String, String> settings) {
      this.settings = settings;
    }

    /** A compactor of HBase's own. */
    Compactor<?> stock(HStore store) {
      Configuration conf = store.getReadOnlyConfiguration();
      return this == STRIPE
          ? new StripeCompactor(conf, store)
          : new DateTieredCompactor(conf, store);
    }

    Division division(Random random) {
      return this == DATE_TIERED
          ? byTime(random)
          : random.nextBoolean() ? byBoundaries(random) : bySize(random);
    }
  }

  /** How a compactor divides what it writes; the same whatever the compactor. */
  private interface Division {
    List<Path> compact(Compactor<?> compactor, CompactionRequestImpl request) throws IOException;
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.issn.compactions", TABLES);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource(Engine.class)
  void writesWhatStockWrites(Engine engine) throws Exception {
    int tables = TABLES * Integer.getInteger("ishbase.rounds", 1);
    Random random = new Random(Seed.get());
    CompactionCounts compactions = new CompactionCounts();
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int number = 0; number < tables; number++) {
      String name = engine + "_" + number;
      Random own = new Random(random.nextLong());
      tasks.add(() -> changeAndCompare(name, engine, own));
    }
    ExecutorService threads = Executors.newFixedThreadPool(TABLES);
    int compared = 0;
    for (Future<Integer> table : threads.invokeAll(tasks)) {
      compared += table.get();
    }
    threads.shutdown();
    System.out.println(compared + " compactions were compared");
    assertThat(compared).isPositive();
    assertThat(compactions.offloaded()).isGreaterThanOrEqualTo(compared);
    assertThat(compactions.whyLocal()).isEmpty();
  }

  private static int changeAndCompare(String name, Engine engine, Random random) throws Exception {
    RandomTable table =
        new RandomTable(cluster, random, new RandomCells(random), name, engine.settings);
    int compared = 0;
    for (int round = 0; round < COMPACTIONS; round++) {
      for (int change = 0; change < 25; change++) {
        table.change();
      }
      table.flush();
      for (HRegion region : cluster.regions(table.name())) {
        for (HStore store : region.getStores()) {
          compared += compare(table, engine, store, random);
        }
      }
    }
    table.close();
    return compared;
  }

  private static int compare(RandomTable table, Engine engine, HStore store, Random random)
      throws IOException {
    List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
    if (files.isEmpty()) {
      return 0;
    }
    boolean all = random.nextBoolean();
    if (!all) {
      int from = random.nextInt(files.size());
      files = files.subList(from, from + 1 + random.nextInt(files.size() - from));
    }
    CompactionRequestImpl request = new CompactionRequestImpl(files);
    request.setIsMajor(all && random.nextBoolean(), all);
    Division division = engine.division(random);
    List<Path> stock;
    try {
      stock = division.compact(engine.stock(store), request);
    } catch (AssertionError e) {
      // HBase does not expect that nothing is left of what it divides by size.
      return 0;
    }
    List<Path> offloaded = division.compact(store.getStoreEngine().getCompactor(), request);
    String what =
        String.join("\n", table.history())
            + "\n"
            + request
            + Arrays.toString(request.getFiles().toArray())
            + division;
    assertThat(offloaded).as(what).hasSameSizeAs(stock);
    FileSystem fs = store.getFileSystem();
    Configuration conf = store.getReadOnlyConfiguration();
    for (int i = 0; i < stock.size(); i++) {
      assertThat(HFileContents.of(fs, offloaded.get(i), conf))
          .as(what)
          .isEqualTo(HFileContents.of(fs, stock.get(i), conf));
      // It says the storage policy.
      assertThat(offloaded.get(i).getParent().getName())
          .isEqualTo(stock.get(i).getParent().getName());
      fs.delete(stock.get(i), false);
      fs.delete(offloaded.get(i), false);
    }
    return 1;
  }

  private static Division byTime(Random random) {
    RandomCells cells = new RandomCells(random);
    TreeSet<Long> windows = new TreeSet<>(List.of(Long.MIN_VALUE));
    for (int window = random.nextInt(6); window > 0; window--) {
      windows.add(cells.timestamp());
    }
    Map<Long, String> policies = new HashMap<>();
    for (Long window : windows) {
      if (random.nextInt(4) == 0) {
        policies.put(window, random.nextBoolean() ? "HOT" : "ONE_SSD");
      }
    }
    return named(
        "windows " + windows + ", policies " + policies,
        compaction ->
            ((DateTieredCompactor) compaction.compactor())
                .compact(
                    compaction.request(),
                    List.copyOf(windows),
                    policies,
                    NoLimitThroughputController.INSTANCE,
                    User.getCurrent()));
  }

  private static Division byBoundaries(Random random) {
    TreeSet<byte[]> inner = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (int boundary = random.nextInt(5); boundary > 0; boundary--) {
      inner.add(RandomCells.row(random.nextInt(RandomCells.ROWS)));
    }
    List<byte[]> boundaries = new ArrayList<>(inner);
    boundaries.add(0, HConstants.EMPTY_BYTE_ARRAY);
    boundaries.add(HConstants.EMPTY_BYTE_ARRAY);
    boolean major = random.nextBoolean();
    int from = random.nextInt(boundaries.size() - 1);
    int to = from + 1 + random.nextInt(boundaries.size() - 1 - from);
    return named(
        "boundaries "
            + boundaries.stream().map(Bytes::toString).toList()
            + (major ? ", major from " + from + " to " + to : ""),
        compaction ->
            ((StripeCompactor) compaction.compactor())
                .compact(
                    compaction.request(),
                    boundaries,
                    major ? boundaries.get(from) : null,
                    major ? boundaries.get(to) : null,
                    NoLimitThroughputController.INSTANCE,
                    User.getCurrent()));
  }

  private static Division bySize(Random random) {
    int count = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4);
    long cells = random.nextInt(5) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(40);
    byte[] major = random.nextBoolean() ? HConstants.EMPTY_BYTE_ARRAY : null;
    return named(
        count + " stripes of " + cells + " cells" + (major == null ? "" : ", major"),
        compaction ->
            ((StripeCompactor) compaction.compactor())
                .compact(
                    compaction.request(),
                    count,
                    cells,
                    HConstants.EMPTY_BYTE_ARRAY,
                    HConstants.EMPTY_BYTE_ARRAY,
                    major,
                    major,
                    NoLimitThroughputController.INSTANCE,
                    User.getCurrent()));
  }

  private record Compaction(Compactor<?> compactor, CompactionRequestImpl request) {}

  private interface Compacting {
    List<Path> compact(Compaction compaction) throws IOException;
  }

  private static Division named(String name, Compacting compacting) {
    return new Division() {
      @Override
      public List<Path> compact(Compactor<?> compactor, CompactionRequestImpl request)
          throws IOException {
        return compacting.compact(new Compaction(compactor, request));
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }
}
