package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The same random reads, stock and in-storage, of many threads whose reads share requests and are
 * asked of another replica's daemon where they are late; meanwhile answers come late, twice, in
 * another order, to calls of others, cut, garbled or not at all. Equal cell for cell, and nothing
 * is left behind. More with {@code -Dishbase.disorder.tables=N}.
 */
class DisorderedAnswersTest {
  private static final int TABLES = Integer.getInteger("ishbase.disorder.tables", 2);
  private static final int THREADS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());
  private static final int READS = 6 * THREADS;
  private static final int CHANGES = 6;
  private static final int TIMEOUT_MILLIS = 4_000;
  private static final int WAIT_MINUTES = 3;

  /** Those after which a daemon can still be asked: they are done to both. */
  private static final List<FaultyProxy.Mode> OF_BOTH =
      List.of(
          FaultyProxy.Mode.PASS,
          FaultyProxy.Mode.LATE,
          FaultyProxy.Mode.TWICE,
          FaultyProxy.Mode.REORDERED,
          FaultyProxy.Mode.MIXED_UP);

  private static final List<FaultyProxy.Mode> OF_ONE =
      List.of(
          FaultyProxy.Mode.STALL,
          FaultyProxy.Mode.DROP,
          FaultyProxy.Mode.GARBLE,
          FaultyProxy.Mode.TRUNCATE);

  private static final InStorageMetrics METRICS = InStorageMetrics.get();

  private static MiniCluster cluster;
  private static ProxiedDaemons daemons;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("dfs.replication", 2);
              conf.setInt("hbase.regionserver.handler.count", 2 * THREADS);
              conf.setInt("ishbase.rpc.timeout", TIMEOUT_MILLIS);
              conf.setInt("ishbase.hedge.percent", 5);
              conf.setInt("ishbase.batch.first.bytes", 256);
              conf.setInt("ishbase.batch.max.bytes", 1024);
              conf.setLong("hbase.hregion.max.filesize", 10L << 30);
              conf.setInt("hbase.client.retries.number", 3);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    daemons = ProxiedDaemons.start(cluster);
  }

  @AfterAll
  static void stop() throws Exception {
    daemons.close();
    cluster.close();
  }

  private interface Read {
    void of(Comparison comparison, Table table) throws IOException;
  }

  @Test
  void readsEqualStock() throws Exception {
    Random random = new Random(Seed.get());
    long shared = METRICS.reads() - METRICS.requests();
    long late = METRICS.lateAnswers();
    long hedges = METRICS.hedges();
    long bad = METRICS.fallbacks(Reason.BAD_ANSWER);
    for (int number = 0; number < TABLES; number++) {
      compareOneTable(random, number);
    }
    assertThat(METRICS.reads() - METRICS.requests()).as("reads that shared").isGreaterThan(shared);
    assertThat(METRICS.lateAnswers()).as("late answers").isGreaterThan(late);
    assertThat(METRICS.hedges()).as("reads asked elsewhere").isGreaterThan(hedges);
    assertThat(METRICS.fallbacks(Reason.BAD_ANSWER)).as("bad answers").isGreaterThan(bad);
  }

  private static void compareOneTable(Random random, int number) throws Exception {
    RandomCells cells = new RandomCells(random);
    RandomTable table = new RandomTable(cluster, random, cells, "disorder" + number);
    RandomQueries queries = new RandomQueries(random, cells);
    try {
      for (FaultyProxy.Mode mode : Stream.concat(OF_BOTH.stream(), OF_ONE.stream()).toList()) {
        for (int change = 0; change < CHANGES; change++) {
          table.change();
        }
        table.flush();
        List<Read> reads = new ArrayList<>();
        for (int i = 0; i < READS; i++) {
          reads.add(draw(queries, random));
        }
        if (OF_ONE.contains(mode)) {
          daemons.set(random.nextInt(2), mode);
        } else {
          daemons.set(mode);
        }
        table.note("answers " + mode);
        compare(table, reads);
        daemons.set(FaultyProxy.Mode.PASS);
        NodesBean.forgetFailures();
      }
    } finally {
      daemons.set(FaultyProxy.Mode.PASS);
      table.close();
    }
    cluster.awaitNothingHeld();
  }

  private static Read draw(RandomQueries queries, Random random) throws IOException {
    switch (random.nextInt(6)) {
      case 0 -> {
        List<Get> gets = queries.gets();
        return (comparison, table) -> comparison.of(table, gets);
      }
      case 1 -> {
        Scan scan = queries.scan();
        return (comparison, table) -> comparison.of(table, scan);
      }
      default -> {
        Get get = queries.get();
        return (comparison, table) -> comparison.of(table, get);
      }
    }
  }

  private static void compare(RandomTable table, List<Read> reads) throws Exception {
    Comparison comparison = Comparison.wherever(new Random(reads.size()), table::history);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (Table client = cluster.connection().getTable(table.name())) {
      List<Future<?>> done = new ArrayList<>();
      for (Read read : reads) {
        done.add(
            threads.submit(
                () -> {
                  read.of(comparison, client);
                  return null;
                }));
      }
      for (Future<?> one : done) {
        one.get(WAIT_MINUTES, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
