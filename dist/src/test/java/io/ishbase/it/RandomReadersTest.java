package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Reads through the segment cache, stock and in-storage, between random changes of a table's files,
 * equal cell for cell. Scans of both kinds stay open meanwhile, at one read point, and time passes
 * in which cached cells expire. Those of a failure with {@code -Dishbase.operations=FILE}; more
 * with {@code -Dishbase.readers.tables=N}.
 */
class RandomReadersTest {
  private static final int TABLES = Integer.getInteger("ishbase.readers.tables", 2);
  private static final int OPERATIONS = 200;
  private static final int MAX_OPEN = 3;

  /** Half of a family's time to live. What is a minute old then has four minutes to be compared. */
  private static final long STEP_MILLIS = 300_000;

  private static final AtomicLong PASSED_MILLIS = new AtomicLong();

  private static MiniCluster cluster;
  private final List<Twins> open = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              // No read is to go HBase's own way because the machine is busy.
              conf.setInt("ishbase.rpc.timeout", 20_000);
              conf.set("ishbase.answer.compression", "zstd");
              conf.set("ishbase.cache.compression", "zstd");
              conf.setLong("ishbase.cache.bytes", 256 << 10);
              conf.setInt("ishbase.batch.first.bytes", 256);
              conf.setInt("ishbase.batch.max.bytes", 1024);
              conf.setLong("hbase.hregion.max.filesize", 10L << 30);
              conf.setInt("hbase.client.retries.number", 3);
              // Scans stay open while regions are compacted.
              conf.setInt("hbase.client.scanner.timeout.period", 120_000);
              conf.setInt("hbase.regionserver.optionalcacheflushinterval", 0);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    cluster.startDaemons();
    EnvironmentEdgeManager.injectEdge(() -> System.currentTimeMillis() + PASSED_MILLIS.get());
  }

  @AfterAll
  static void stop() throws Exception {
    EnvironmentEdgeManager.reset();
    cluster.close();
  }

  @Test
  void cachedReadsEqualStock() throws Exception {
    Operations given = Operations.given();
    if (given != null) {
      readOneTable(given, 0);
      return;
    }
    long seed = Seed.get();
    Random seeds = new Random(seed);
    for (int number = 0; number < TABLES; number++) {
      int table = number;
      Operations.draw(seeds, OPERATIONS)
          .run("readers-" + seed + "-" + table, tried -> readOneTable(tried, table));
    }
    long hits = NodesBean.cacheCounter("hits");
    System.out.println(hits + " rows from the cache; known: " + Comparison.known());
    assertThat(hits).as("rows from the cache").isGreaterThan(OPERATIONS / 4);
  }

  private void readOneTable(Operations operations, int number) throws Exception {
    Random random = operations.random();
    RandomCells cells = new RandomCells(random);
    RandomTable table =
        new RandomTable(cluster, random, cells, "r" + number, Map.of("ishbase.cache", "true"));
    table.onRegionsChange(this::closeAll);
    Comparison comparison = new Comparison(random, table::history);
    RandomQueries queries = new RandomQueries(random, cells, true);
    try (Table client = cluster.connection().getTable(table.name())) {
      operations.each(
          random,
          () -> {
            int kind = random.nextInt(100);
            if (kind < 30) {
              table.change();
            } else if (kind < 40) {
              table.flush();
            } else if (kind < 43) {
              closeAll();
              PASSED_MILLIS.addAndGet(STEP_MILLIS);
              cells.pass(STEP_MILLIS);
              table.note("time passes");
            } else if (kind < 55) {
              comparison.of(client, queries.get());
            } else if (kind < 60) {
              comparison.of(client, queries.gets());
            } else if (kind < 75) {
              comparison.of(client, queries.scan());
            } else if (open.isEmpty() || kind < 82 && open.size() < MAX_OPEN) {
              openTwins(client, table, queries.plainScan());
            } else {
              Twins twins = open.get(random.nextInt(open.size()));
              if (!twins.agreeOn(1 + random.nextInt(5), table)) {
                open.remove(twins);
              }
            }
            if (random.nextInt(10) == 0) {
              assertThat(NodesBean.checkCache())
                  .as(() -> String.join("\n", table.history()))
                  .isEmpty();
            }
          });
    } finally {
      closeAll();
      table.close();
    }
  }

  /** Opens them unless a file is half of another, of which HBase shows too much. */
  private void openTwins(Table client, RandomTable table, Scan scan) throws IOException {
    if (!table.hasReferences()) {
      table.note("open " + scan);
      open.add(new Twins(client, scan));
    }
  }

  private void closeAll() {
    open.forEach(Twins::close);
    open.clear();
  }

  /** One scan, opened stock and in-storage. */
  private static final class Twins {
    private final Scan scan;
    private final ResultScanner stock;
    private final ResultScanner inStorage;

    Twins(Table table, Scan scan) throws IOException {
      this.scan = scan;
      stock = table.getScanner(MiniCluster.in(MiniCluster.STOCK, new Scan(scan)));
      inStorage = table.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan(scan)));
      // The client opens a scanner at the server with the first row that it is asked for.
      agreeOn(1, null);
    }

    /** Demands the same of the next rows; returns whether there are more. */
    boolean agreeOn(int rows, RandomTable table) throws IOException {
      for (int i = 0; i < rows; i++) {
        Result expected = stock.next();
        Result found = inStorage.next();
        assertThat(found == null ? "end" : Comparison.text(found))
            .as(() -> (table == null ? "" : String.join("\n", table.history())) + "\n" + scan)
            .isEqualTo(expected == null ? "end" : Comparison.text(expected));
        if (expected == null) {
          close();
          return false;
        }
      }
      return true;
    }

    void close() {
      stock.close();
      inStorage.close();
    }
  }
}
