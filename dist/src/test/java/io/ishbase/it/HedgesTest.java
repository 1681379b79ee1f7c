package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two storage nodes hold every file, and one stands still while many read. All answers are right,
 * nobody waits for the deadline of a request, and the reads stay in-storage.
 */
@OwnJvm
class HedgesTest {
  private static final int READERS = 6;

  /** Extra requests that each of two daemons has free at the beginning. */
  private static final int FREE = 2 * 32;

  private static final InStorageMetrics METRICS = InStorageMetrics.get();

  private static MiniCluster cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("dfs.replication", 2);
              conf.setInt("hbase.regionserver.handler.count", 2 * READERS);
              conf.setInt("ishbase.hedge.percent", 5);
              conf.setInt("ishbase.batch.first.bytes", 1024);
              conf.setInt("ishbase.batch.max.bytes", 8192);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private DaemonProcess daemon(int dataNode) throws IOException {
    return new DaemonProcess(
        cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(dataNode)),
        directory.resolve("daemon" + dataNode));
  }

  private static void awaitReads(int count) {
    long before = METRICS.cells();
    MiniCluster.await("cells from a daemon", () -> METRICS.cells() > before + count);
  }

  /** Gets, Gets of many rows and scans, all checked, in many threads until all is done. */
  private static void readDuring(KnownTable table, Readers.Action meanwhile) throws Exception {
    Readers.readDuring(
        cluster,
        READERS,
        i ->
            () -> {
              switch (i % 3) {
                case 0 -> table.checkGets(10);
                case 1 -> table.checkMulti(20);
                default -> table.checkScan();
              }
            },
        meanwhile);
  }

  @Test
  void oneOfTwoDaemonsStandsStillAndGoesOn() throws Exception {
    try (KnownTable table = new KnownTable(cluster, "hedges");
        DaemonProcess first = daemon(0);
        DaemonProcess second = daemon(1)) {
      StorageNodes nodes = StorageNodes.of(cluster.util.getConfiguration());
      MiniCluster.await("two daemons that answer", () -> nodes.answering().size() == 2);
      table.awaitInStorage();
      long timeouts = METRICS.fallbacks(Reason.TIMEOUT);
      long extras = METRICS.hedges() + METRICS.readsAgain();
      long reads = METRICS.reads();
      // A machine that is busy with others may make a daemon seem so.
      long silences = METRICS.silences();
      readDuring(table, () -> awaitReads(8_000));
      assertThat(METRICS.hedges() + METRICS.readsAgain() - extras)
          .as("extra requests while both are well")
          .isLessThanOrEqualTo(
              (METRICS.reads() - reads) / 20 + FREE + READERS * (METRICS.silences() - silences));

      long doubts = METRICS.doubts();
      long late = METRICS.lateAnswers();
      long hedges = METRICS.hedges();
      readDuring(
          table,
          () -> {
            // Of both, in turn: only one of them may be asked at a time. While one stands still
            // it is the other that answers, so the first is used again.
            for (DaemonProcess daemon : List.of(first, second, first)) {
              daemon.pause();
              awaitReads(8_000);
              daemon.resume();
              awaitReads(8_000);
            }
          });
      assertThat(METRICS.doubts()).isGreaterThan(doubts);
      assertThat(METRICS.lateAnswers()).isGreaterThan(late);
      assertThat(METRICS.hedges()).isGreaterThan(hedges);
      assertThat(METRICS.fallbacks(Reason.TIMEOUT))
          .as("reads that waited for the deadline")
          .isEqualTo(timeouts);
    }
  }
}
