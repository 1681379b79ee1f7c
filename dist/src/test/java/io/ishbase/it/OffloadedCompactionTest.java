package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.protocol.AttemptDirectory;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.storefiletracker.ForeignTracker;
import org.apache.hadoop.hbase.regionserver.storefiletracker.StoreFileTrackerFactory;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compactions that leave the region server, and those that must not. */
class OffloadedCompactionTest {
  private static final int ROWS = 2000;
  private static final String TRACKER = StoreFileTrackerFactory.TRACKER_IMPL;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(CompactionDifferentialTest::offload);
    cluster.startDaemons(
        conf -> {
          // The worker's own site is of no concern: the table's tracker is the region server's.
          conf.set("hbase.store.file-tracker.impl", "FILE");
          conf.unset("ishbase.issn.compactions.share");
        });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void aMajorCompactionIsCarriedOutByADaemon() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "major", ROWS);
    long offloaded = CompactionMetrics.get().offloaded();
    long control = CompactionMetrics.get().controlBytes();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(1);
    assertThat(CompactionMetrics.get().controlBytes() - control).isLessThan(4096);
    table.check();
    assertThat(table.temporaryFiles()).isEmpty();
    assertThat(table.attempts()).isZero();
    assertThat(table.store().getMajorCompactedCellsCount()).isPositive();
    assertThat(table.store().getCompactionProgress().getTotalCompactingKVs()).isZero();
  }

  /** A store goes by what was set when it opened; so must a worker, or its result is wrong. */
  @Test
  void markersStayAsLongAsTheStoreSays() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "purged", ROWS);
    Configuration site = cluster.util.getRSForFirstRegionInTable(table.name()).getConfiguration();
    long offloaded = CompactionMetrics.get().offloaded();
    site.setLong("hbase.hstore.time.to.purge.deletes", Duration.ofDays(1).toMillis());
    try {
      table.requestMajorCompaction();
      table.awaitCompacted();
    } finally {
      site.unset("hbase.hstore.time.to.purge.deletes");
    }
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(1);
    table.check();
  }

  /** Files that only a tracker knew would be forgotten, and those that it left would come back. */
  @ParameterizedTest
  @EnumSource(
      value = StoreFileTrackerFactory.Trackers.class,
      names = {"DEFAULT", "FILE"})
  void whatWasDeletedStaysDeletedWhenTheRegionIsOpenedAgain(
      StoreFileTrackerFactory.Trackers tracker) throws Exception {
    CompactedTable table =
        new CompactedTable(
            cluster, "opened_again_" + tracker, ROWS, Map.of(TRACKER, tracker.name()));
    long offloaded = CompactionMetrics.get().offloaded();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(1);
    assertThat(table.temporaryFiles()).isEmpty();
    table.openAgain();
    assertThat(table.store().getStorefilesCount()).isEqualTo(1);
    assertThat(table.storedFiles())
        .containsExactly(table.store().getStorefiles().iterator().next().getPath().getName());
    table.check();
    table.change();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(2);
    table.check();
  }

  /** From a tracker that lists the directory to one that keeps a list, and on both in between. */
  @Test
  void aTableChangesItsTracker() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "tracked", 100);
    for (Map<String, String> settings :
        List.of(
            Map.of(
                TRACKER,
                "MIGRATION",
                "hbase.store.file-tracker.migration.src.impl",
                "DEFAULT",
                "hbase.store.file-tracker.migration.dst.impl",
                "FILE"),
            Map.of(TRACKER, "FILE"))) {
      change(
          table.name(),
          builder -> {
            settings.forEach(builder::setValue);
            return builder;
          });
      long offloaded = CompactionMetrics.get().offloaded();
      table.change();
      table.requestMajorCompaction();
      table.awaitCompacted();
      assertThat(CompactionMetrics.get().offloaded() - offloaded).as("%s", settings).isEqualTo(1);
      table.check();
    }
    table.openAgain();
    assertThat(table.store().getStorefilesCount()).isEqualTo(1);
    table.check();
  }

  @Test
  void theNewFileLiesAtHome() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "home", ROWS);
    table.requestMajorCompaction();
    table.awaitCompacted();
    Path file = table.store().getStorefiles().iterator().next().getPath();
    var home =
        cluster
            .util
            .getMiniHBaseCluster()
            .getRegionServer(0)
            .getFavoredNodesForRegion(table.region().getRegionInfo().getEncodedName());
    for (BlockLocation block :
        cluster.util.getTestFileSystem().getFileBlockLocations(file, 0, Long.MAX_VALUE)) {
      assertThat(block.getNames()[0]).endsWith(":" + home[0].getPort());
    }
  }

  /** The files of a clone are links to those of the table that the snapshot was taken of. */
  @Test
  void aCloneIsCompactedFromItsLinks() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "original", ROWS);
    var admin = cluster.util.getAdmin();
    admin.snapshot("shot", table.name());
    CompactedTable clone = table.named("clone");
    admin.cloneSnapshot("shot", clone.name());
    long offloaded = CompactionMetrics.get().offloaded();
    clone.requestMajorCompaction();
    clone.awaitCompacted();
    clone.check();
    assertThat(CompactionMetrics.get().offloaded() - offloaded).isEqualTo(1);
  }

  /** It may be of the server that has the region now, which this one may have lost. */
  @Test
  void whatAnotherServersAttemptHasStaysUntilTheRegionOpens() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "swept", ROWS);
    var fs = cluster.util.getTestFileSystem();
    Path left =
        AttemptDirectory.of(
            table.region().getRegionFileSystem().getRegionDir(), "0123456789abcdef".repeat(2));
    fs.create(new Path(left, "f/0123456789abcdef")).close();
    fs.setTimes(left, System.currentTimeMillis() - 3_600_000, -1);
    assertThat(table.attempts()).isEqualTo(1);
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(table.attempts()).isEqualTo(1);
    cluster.util.getAdmin().disableTable(table.name());
    cluster.util.getAdmin().enableTable(table.name());
    assertThat(table.attempts()).isZero();
  }

  @Test
  void aSmallCompactionStays() throws Exception {
    expectLocal(
        "small",
        LocalReason.SMALL,
        builder -> builder.setValue("ishbase.compaction.min.bytes", "1000000000"));
  }

  @Test
  void aCompactionWhoseBlocksAreToBeCachedStaysWhereReadsAreStock() throws Exception {
    Change cached = builder -> builder.setValue("hbase.rs.cachecompactedblocksonwrite", "true");
    expectLocal("cached", LocalReason.CACHED, cached);
    CompactedTable inStorage = new CompactedTable(cluster, "cached_for_nobody", 100);
    change(
        inStorage.name(),
        builder -> cached.apply(builder).setValue(MiniCluster.READ, MiniCluster.IN_STORAGE));
    long before = CompactionMetrics.get().local(LocalReason.CACHED);
    long offloaded = CompactionMetrics.get().offloaded();
    inStorage.requestMajorCompaction();
    inStorage.awaitCompacted();
    assertThat(CompactionMetrics.get().local(LocalReason.CACHED)).isEqualTo(before);
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
  }

  @Test
  void aCompactionThatACoprocessorHooksStays() throws Exception {
    expectLocal(
        "hooked",
        LocalReason.COPROCESSOR,
        builder -> {
          try {
            return builder.setCoprocessor(Hook.class.getName());
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  @Test
  void aStoreWithAForeignTrackerStays() throws Exception {
    check(
        new CompactedTable(
            cluster, "foreign", 100, Map.of(TRACKER, ForeignTracker.class.getName())),
        LocalReason.TRACKER);
  }

  @Test
  void aStoreWhoseEngineHasACompactorOfItsOwnStays() throws Exception {
    expectLocal(
        "foreign_engine",
        LocalReason.ENGINE,
        builder -> builder.setValue("hbase.hstore.engine.class", ForeignEngine.class.getName()));
  }

  /** An engine that is not HBase's. */
  public static final class ForeignEngine extends StripeStoreEngine {}

  @Test
  void aCompactionThatCallsWhatAnotherHBaseLacksStays() throws Exception {
    expectLocal(
        "lacking",
        LocalReason.HERE,
        builder ->
            builder.setValue(
                "hbase.hstore.defaultengine.compactor.class", Lacking.class.getName()));
  }

  /** Does not link when it has begun to ask a worker. */
  public static final class Lacking extends OffloadingCompactor {
    public Lacking(Configuration conf, HStore store) {
      super(conf, store);
    }

    @Override
    public List<Path> compact(
        CompactionRequestImpl request, ThroughputController throughput, User user)
        throws IOException {
      Object lacking =
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ThroughputController.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("start")
                    && arguments[0].toString().contains(", attempt ")) {
                  throw new NoSuchMethodError("ThroughputController.start");
                }
                return method.invoke(throughput, arguments);
              });
      return super.compact(request, (ThroughputController) lacking, user);
    }
  }

  @Test
  void aTableThatIsSwitchedOffStaysUncounted() throws Exception {
    CompactedTable table = new CompactedTable(cluster, "off", 100);
    change(table.name(), builder -> builder.setValue("ishbase.compaction", "stock"));
    long offloaded = CompactionMetrics.get().offloaded();
    long local = CompactionMetrics.get().local();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded);
    assertThat(CompactionMetrics.get().local()).isEqualTo(local);
  }

  private interface Change {
    TableDescriptorBuilder apply(TableDescriptorBuilder builder);
  }

  private static void change(TableName table, Change change) throws Exception {
    var admin = cluster.util.getAdmin();
    admin.modifyTable(
        change.apply(TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))).build());
  }

  private static void expectLocal(String name, LocalReason reason, Change change) throws Exception {
    CompactedTable table = new CompactedTable(cluster, name, 100);
    check(table, reason, () -> change(table.name(), change));
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void check(CompactedTable table, LocalReason reason) throws Exception {
    check(table, reason, () -> {});
  }

  /** A region that opens anew may compact by itself: then there is nothing left to be asked for. */
  private static void check(CompactedTable table, LocalReason reason, Step first) throws Exception {
    CompactionMetrics metrics = CompactionMetrics.get();
    long offloaded = metrics.offloaded();
    long before = metrics.local(reason);
    first.run();
    table.requestMajorCompaction();
    table.awaitCompacted();
    MiniCluster.await("its count", () -> metrics.local(reason) > before);
    assertThat(metrics.offloaded()).isEqualTo(offloaded);
    assertThat(metrics.local(reason)).isEqualTo(before + 1);
    table.check();
  }

  /** Takes part in compactions. */
  public static final class Hook implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public InternalScanner preCompact(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        InternalScanner scanner,
        ScanType type,
        CompactionLifeCycleTracker tracker,
        CompactionRequest request) {
      return scanner;
    }
  }
}
