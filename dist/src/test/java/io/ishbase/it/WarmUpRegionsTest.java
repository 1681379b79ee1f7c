package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.CompactionMetrics;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Regions that are split and merged while a warm-up goes on, and warm-ups of stores whose files
 * belong to other regions.
 */
class WarmUpRegionsTest {
  private static final int ROWS = StalledWarmUps.ROWS;

  @RegisterExtension static final StalledWarmUps warmUps = new StalledWarmUps();

  private final MiniCluster cluster = warmUps.cluster();

  /** The daughters get references to the new file and to nothing else. */
  @Test
  void aSplitTakesTheNewFileOnly() throws Exception {
    WarmTable table = tableWithDeletes("split", "incremental");
    int at = warmUps.compactToTheMiddle(table);
    try (Table opened = cluster.connection().getTable(table.name());
        ResultScanner scanner = opened.getScanner(behindTheDeletes(table))) {
      assertThat(scanner.next()).isNotNull();
      splitAndCheck(table, at + 100);
    }
    warmUps.pass();
    MiniCluster.await("the daughters' compactions", () -> table.referenceFiles() == 0);
    assertThat(table.stores()).hasSize(2).allMatch(store -> store.getStorefilesCount() == 1);
    table.checkAround(at);
    table.awaitWarm();
    table.check();
    table.assertNothingIsHeld();
  }

  /** As stock HBase has it, a scanner that is older than the commit keeps compacted files, too. */
  @Test
  void aSplitLeavesOutWhatAnOlderScannerReads() throws Exception {
    WarmTable table = tableWithDeletes("older", "none");
    try (Table opened = cluster.connection().getTable(table.name());
        ResultScanner scanner = opened.getScanner(behindTheDeletes(table))) {
      assertThat(scanner.next()).isNotNull();
      table.compact();
      splitAndCheck(table, ROWS / 2);
    }
    MiniCluster.await("the daughters' compactions", () -> table.referenceFiles() == 0);
    table.check();
    table.assertNothingIsHeld();
  }

  /** HBase's stores of large objects leave such files, too. */
  @Test
  void aSplitLeavesOutWhatAnOlderScannerReadsOfLargeObjects() throws Exception {
    WarmTable table =
        withDeletes(
            new WarmTable(
                cluster,
                "older-mob",
                "none",
                ROWS,
                family -> family.setMobEnabled(true).setMobThreshold(500),
                "f"));
    try (Table opened = cluster.connection().getTable(table.name());
        ResultScanner scanner = opened.getScanner(behindTheDeletes(table))) {
      assertThat(scanner.next()).isNotNull();
      table.compact();
      splitAndCheck(table, ROWS / 2);
    }
  }

  /** One of its files has nothing but delete markers of some rows near the end. */
  private WarmTable tableWithDeletes(String name, String mode) throws IOException {
    return withDeletes(new WarmTable(cluster, name, mode, ROWS, "f"));
  }

  private static WarmTable withDeletes(WarmTable table) throws IOException {
    table.delete(ROWS - 300, ROWS - 250);
    table.flush();
    table.readAll();
    return table;
  }

  /** Holds the files that have the puts and not that with the delete markers. */
  private static Scan behindTheDeletes(WarmTable table) {
    return new Scan().setCaching(1).withStartRow(table.row(ROWS - 200));
  }

  private void splitAndCheck(WarmTable table, int row) throws Exception {
    HRegion parent = cluster.regions(table.name()).get(0);
    String newFile = table.stores().get(0).getStorefiles().iterator().next().getPath().getName();
    cluster.split(table.name(), table.row(row));
    table.check();
    assertThat(filesOf(parent)).containsExactly(newFile);
  }

  private List<String> filesOf(HRegion region) throws IOException {
    Path family = new Path(region.getRegionFileSystem().getRegionDir(), "f");
    return Arrays.stream(cluster.util.getTestFileSystem().listStatus(family))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .toList();
  }

  /** A daughter's files are references at first; then it is merged with its sister. */
  @Test
  void referencesAreCompactedAndMergedInTheMiddle() throws Exception {
    WarmTable table = new WarmTable(cluster, "merge", "incremental", 2 * ROWS, "f");
    long compactions = CompactionMetrics.get().offloaded() + CompactionMetrics.get().local();
    long offloaded = CompactionMetrics.get().offloaded();
    cluster.split(table.name(), table.row(ROWS));
    MiniCluster.await("the daughters' compactions", () -> table.referenceFiles() == 0);
    table.check();
    table.awaitWarm();
    table.check();
    table.assertNothingIsHeld();
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(2);
    assertThat(CompactionMetrics.get().offloaded() + CompactionMetrics.get().local())
        .isEqualTo(compactions + 2);

    table.change(ROWS / 2);
    table.flush();
    table.readAll();
    List<RegionInfo> regions =
        cluster.regions(table.name()).stream().map(HRegion::getRegionInfo).toList();
    RegionInfo first = regions.stream().min(RegionInfo.COMPARATOR).orElseThrow();
    warmUps.stall();
    cluster.util.getAdmin().majorCompactRegion(first.getRegionName());
    int at = warmUps.awaitTheMiddle(table);
    table.check();
    cluster
        .util
        .getAdmin()
        .mergeRegionsAsync(
            regions.stream().map(RegionInfo::getRegionName).toArray(byte[][]::new), false)
        .get();
    MiniCluster.await("the merged region", () -> cluster.regions(table.name()).size() == 1);
    table.checkAround(at);
    warmUps.pass();
    MiniCluster.await("its compaction", () -> table.referenceFiles() == 0);
    table.checkAround(at);
    table.awaitWarm();
    table.check();
    table.assertNothingIsHeld();
  }

  /** What the links lead to belongs to another table, too. */
  @Test
  void aCloneIsWarmedUpFromItsLinks() throws Exception {
    WarmTable table = new WarmTable(cluster, "original", "incremental", ROWS, "f");
    cluster.util.getAdmin().snapshot("shot", table.name());
    WarmTable clone = table.named("clone");
    cluster.util.getAdmin().cloneSnapshot("shot", clone.name());
    clone.readAll();
    long offloaded = CompactionMetrics.get().offloaded();
    int at = warmUps.compactToTheMiddle(clone);
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
    clone.checkAround(at);
    warmUps.goOn(clone);
    clone.checkAround(at);
    assertThat(clone.readAll()).isZero();
    assertThat(table.readAll()).as("the original's blocks stay").isZero();
    clone.assertNothingIsHeld();
    table.check();
  }
}
