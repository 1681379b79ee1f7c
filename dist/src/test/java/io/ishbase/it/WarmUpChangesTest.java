package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What changes in a store between the commit of a compaction and the end of its warm-up, and what
 * is read then.
 */
class WarmUpChangesTest {
  private static final int ROWS = StalledWarmUps.ROWS;

  @RegisterExtension static final StalledWarmUps warmUps = new StalledWarmUps();

  private final MiniCluster cluster = warmUps.cluster();

  @Test
  void aBulkLoadIsSeenOnBothSides() throws Exception {
    WarmTable table = new WarmTable(cluster, "bulk", "incremental", ROWS, "f");
    long failed = CompactionMetrics.get().warmUpFailures();
    int at = warmUps.compactToTheMiddle(table);
    table.bulkLoad(at - 100, at + 100);
    table.checkAround(at);
    table.change(ROWS / 10);
    table.bulkLoad(0, 50);
    table.bulkLoad(ROWS - 50, ROWS);
    table.checkAround(at);
    warmUps.goOn(table);
    table.checkAround(at);
    table.assertNothingIsHeld();
    assertThat(table.readAll()).isZero();
    assertThat(CompactionMetrics.get().warmUpFailures()).isEqualTo(failed);
  }

  /** A marker that the compaction dropped hides a put for all reads of the row, or for none. */
  @Test
  void readsFromTheStorageNodesGoByTheThresholdToo() throws Exception {
    WarmTable table = new WarmTable(cluster, "attribute", "incremental", ROWS, "f");
    table.delete(100, 110);
    table.delete(ROWS - 110, ROWS - 100);
    table.flush();
    table.readAll();
    warmUps.compactToTheMiddle(table);
    long inTurn = InStorageMetrics.get().fallbacks(Reason.WARMING_UP);
    byte[] below = table.row(105);
    byte[] above = table.row(ROWS - 105);
    try (Table opened = cluster.connection().getTable(table.name())) {
      for (byte[] row : List.of(below, above)) {
        opened.put(new Put(row).addColumn(Bytes.toBytes("f"), Bytes.toBytes("q"), 1, row));
      }
      for (String mode : List.of("stock", "in-storage", "stock", "in-storage", "auto")) {
        assertThat(opened.exists(MiniCluster.in(mode, new Get(above)))).as(mode).isFalse();
        Scan scan = new Scan().withStartRow(above).withStopRow(table.row(ROWS - 100));
        try (ResultScanner scanner = opened.getScanner(MiniCluster.in(mode, scan))) {
          assertThat(scanner).as(mode).isEmpty();
        }
      }
      assertThat(InStorageMetrics.get().fallbacks(Reason.WARMING_UP)).isGreaterThan(inTurn);
      // A storage node would be asked for it, and its answers stall.
      assertThat(opened.exists(MiniCluster.in("stock", new Get(below)))).isTrue();
      warmUps.goOn(table);
      for (byte[] row : List.of(below, above)) {
        assertThat(opened.exists(MiniCluster.in("in-storage", new Get(row)))).isTrue();
        assertThat(opened.exists(MiniCluster.in("stock", new Get(row)))).isTrue();
      }
    }
  }

  /** The scanners were opened before, and read on afterwards. */
  @Test
  void scannersSeeNeitherChangesNorTheMovingThreshold() throws Exception {
    WarmTable table = new WarmTable(cluster, "scanners", "incremental", ROWS, "f");
    int at = warmUps.compactToTheMiddle(table);
    Scan forwards = new Scan().setCaching(10);
    Scan backwards = new Scan().setCaching(10).setReversed(true);
    Scan below = new Scan().setCaching(10).withStartRow(table.row(1)).withStopRow(table.row(at));
    Scan above = new Scan().setCaching(10).withStartRow(table.row(at)).withStopRow(table.row(ROWS));
    try (OpenScans scans = new OpenScans(cluster, table, forwards, backwards, below, above)) {
      scans.checkNext(30);
      table.change(ROWS / 10);
      table.flush();
      scans.checkNext(30);
      warmUps.goOn(table);
      scans.checkNext(30);
      // Those whom nobody reads any more would go now.
      for (HStore store : table.stores()) {
        store.closeAndArchiveCompactedFiles();
      }
      scans.checkNext(ROWS);
    }
    table.checkAround(at);
    table.assertNothingIsHeld();
  }

  @Test
  void putsDeletesAndFlushesAreSeenOnBothSides() throws Exception {
    WarmTable table = new WarmTable(cluster, "changes", "incremental", ROWS, "f");
    int at = warmUps.compactToTheMiddle(table);
    for (int round = 0; round < 3; round++) {
      table.change(ROWS / 10);
      table.checkAround(at);
      table.flush();
      table.checkAround(at);
    }
    warmUps.goOn(table);
    table.checkAround(at);
    table.assertNothingIsHeld();
  }

  /** What the first had not come to was cached for the files before its own. */
  @Test
  void aCompactionThatTakesTheNewFileIsWarmedUp() throws Exception {
    WarmTable table = new WarmTable(cluster, "superseded", "incremental", ROWS, "f");
    int at = warmUps.compactToTheMiddle(table);
    table.change(ROWS / 10);
    table.flush();
    table.readAll();
    long failed = CompactionMetrics.get().warmUpFailures();
    long fetched = CompactionMetrics.get().fetchedBytes();
    HStore store = table.stores().get(0);
    // What the proxy has of the first worker's answer stays there.
    warmUps.endWorker();
    Issn second = cluster.startDaemon(warmUps.dataNode(), conf -> {});
    try {
      warmUps.awaitAnswering(second);
      cluster.util.getAdmin().majorCompact(table.name());
      MiniCluster.await("the next compaction", () -> store.getStorefilesCount() == 1);
      table.awaitWarm();
      assertThat(CompactionMetrics.get().warmUps()).as("the first waits").isEqualTo(1);
      assertThat(CompactionMetrics.get().fetchedBytes() - fetched).isGreaterThan(ROWS * 600L);
      assertThat(table.readAll()).isZero();
      table.checkAround(at);
    } finally {
      warmUps.endDaemon(second);
      warmUps.startWorker();
    }
    warmUps.pass();
    assertThat(CompactionMetrics.get().warmUpFailures()).isEqualTo(failed);
    assertThat(table.readAll()).isZero();
    table.checkAround(at);
    table.assertNothingIsHeld();
  }
}
