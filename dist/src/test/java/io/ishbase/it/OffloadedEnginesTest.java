package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreFileManager;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.Compactor;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactor;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores of stripes and of windows of time, whose compactions leave the region server. */
class OffloadedEnginesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 1000;
  private static final int STRIPES = 4;
  private static final long DAY_MILLIS = 86_400_000;
  private static final String TRACKER = "hbase.store.file-tracker.impl";
  private static final Map<String, String> STRIPED =
      Map.of(
          "hbase.hstore.engine.class",
          StripeStoreEngine.class.getName(),
          "hbase.store.stripe.initialStripeCount",
          String.valueOf(STRIPES),
          "hbase.store.stripe.compaction.flushToL0",
          "true",
          "hbase.store.stripe.compaction.minFilesL0",
          "4");

  @TempDir private java.nio.file.Path directory;
  private MiniCluster cluster;
  private CompactionCounts compactions;

  @BeforeEach
  void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.setInt("ishbase.compaction.lease", 10_000);
            });
    compactions = new CompactionCounts();
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private static StripeStoreFileManager stripes(HStore store) {
    return (StripeStoreFileManager) store.getStoreEngine().getStoreFileManager();
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEFAULT", "FILE"})
  void stripesAreMadeAndMerged(String tracker) throws Exception {
    cluster.startDaemons();
    Map<String, String> settings = new HashMap<>(STRIPED);
    settings.put(TRACKER, tracker);
    CompactedTable table = new CompactedTable(cluster, "striped", ROWS, settings);
    table.requestMajorCompaction();
    awaitStripes(table.store());
    assertThat(stripes(table.store()).getStripeCount()).isEqualTo(STRIPES);
    assertThat(compactions.offloaded()).isEqualTo(1);
    List<byte[]> boundaries = stripes(table.store()).getStripeBoundaries();
    table.check();
    for (int change = 0; change < 4; change++) {
      table.change();
    }
    table.requestMajorCompaction();
    awaitStripes(table.store());
    assertThat(compactions.offloaded()).isGreaterThanOrEqualTo(2);
    assertThat(compactions.local()).isZero();
    table.check();
    table.openAgain();
    assertThat(stripes(table.store()).getLevel0Files()).isEmpty();
    assertThat(stripes(table.store()).getStripeBoundaries().stream().map(Bytes::toString))
        .containsExactlyElementsOf(boundaries.stream().map(Bytes::toString).toList());
    assertThat(table.temporaryFiles()).isEmpty();
    assertThat(table.attempts()).isZero();
    table.check();
    assertThat(rows(table.name(), MiniCluster.IN_STORAGE))
        .isEqualTo(rows(table.name(), MiniCluster.STOCK));
  }

  private static void awaitStripes(HStore store) {
    MiniCluster.await(
        "stripes",
        () -> stripes(store).getStripeCount() > 0 && stripes(store).getLevel0Files().isEmpty());
  }

  private List<String> rows(TableName name, String mode) throws IOException {
    List<String> rows = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(MiniCluster.in(mode, new Scan()))) {
      for (Result result : scanner) {
        rows.add(result + Bytes.toStringBinary(result.value()));
      }
    }
    return rows;
  }

  /** Each window has its file, on the storage that HBase's settings say. */
  @Test
  void windowsAreMade() throws Exception {
    cluster.startDaemons();
    TableName name = TableName.valueOf("windows");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue("hbase.hstore.engine.class", DateTieredStoreEngine.class.getName())
                .setValue("hbase.hstore.compaction.date.tiered.storage.policy.enable", "true")
                // What a default engine would not take as its policy.
                .setValue(
                    "hbase.hstore.defaultengine.compactionpolicy.class",
                    "org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactionPolicy")
                .build());
    long now = System.currentTimeMillis();
    for (int file = 0; file < 3; file++) {
      try (Table table = cluster.connection().getTable(name)) {
        for (int row = 0; row < 100; row++) {
          for (long days : new long[] {0, 3, 30}) {
            table.put(
                new Put(Bytes.toBytes("row" + row))
                    .addColumn(
                        FAMILY,
                        Bytes.toBytes("q" + days),
                        now - days * DAY_MILLIS,
                        new byte[file]));
          }
        }
        table.delete(new Delete(Bytes.toBytes("row" + file)));
      }
      cluster.util.flush(name);
    }
    List<String> before = rows(name, MiniCluster.STOCK);
    HStore store = cluster.regions(name).get(0).getStore(FAMILY);
    cluster.util.getAdmin().majorCompact(name);
    MiniCluster.await(
        "the compaction", () -> compactions.offloaded() > 0 && store.getCompactedFilesCount() > 0);
    assertThat(compactions.local()).isZero();
    assertThat(rows(name, MiniCluster.STOCK)).isEqualTo(before);
    assertThat(policies(store)).containsExactly("HOT", "ONE_SSD", "ALL_SSD");
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
    assertThat(policies(cluster.regions(name).get(0).getStore(FAMILY)))
        .containsExactly("HOT", "ONE_SSD", "ALL_SSD");
    assertThat(rows(name, MiniCluster.STOCK)).isEqualTo(before);
    assertThat(rows(name, MiniCluster.IN_STORAGE)).isEqualTo(before);
    assertThat(CompactedTable.temporaryFiles(cluster, cluster.regions(name).get(0))).isEmpty();
  }

  /** The storage policies of the store's files, those of older cells first. */
  private static List<String> policies(HStore store) throws IOException {
    List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
    files.sort(
        (one, other) ->
            Long.compare(
                one.getMaximumTimestamp().getAsLong(), other.getMaximumTimestamp().getAsLong()));
    List<String> policies = new ArrayList<>();
    for (HStoreFile file : files) {
      // One window each.
      assertThat(file.getMinimumTimestamp()).isEqualTo(file.getMaximumTimestamp());
      policies.add(store.getFileSystem().getStoragePolicy(file.getPath()).getName());
    }
    return policies;
  }

  /** All cells have expired or were deleted: no file is written, as at home. */
  @Test
  void nothingIsLeftOfTheOlderFiles() throws Exception {
    cluster.startDaemons();
    TableName name = TableName.valueOf("nothing");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setTimeToLive(600).build())
                .setValue("hbase.hstore.engine.class", DateTieredStoreEngine.class.getName())
                .setCompactionEnabled(false)
                .build());
    long now = System.currentTimeMillis();
    for (long days : new long[] {2, 1, 0}) {
      try (Table table = cluster.connection().getTable(name)) {
        table.put(
            new Put(Bytes.toBytes("row"))
                .addColumn(FAMILY, FAMILY, now - days * DAY_MILLIS, FAMILY));
      }
      cluster.util.flush(name);
    }
    HStore store = cluster.regions(name).get(0).getStore(FAMILY);
    List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
    assertThat(files).hasSize(3);
    assertThat(compact(store, files.subList(0, 2))).isEmpty();
    // The last one's sequence id has to be kept.
    List<Path> last = compact(store, files.subList(2, 3));
    assertThat(last).hasSize(1);
    store.getFileSystem().delete(last.get(0), false);
    assertThat(compactions.offloaded()).isEqualTo(2);
    assertThat(compactions.local()).isZero();
  }

  private static List<Path> compact(HStore store, List<HStoreFile> files) throws IOException {
    return ((DateTieredCompactor) store.getStoreEngine().getCompactor())
        .compact(
            new CompactionRequestImpl(files),
            List.of(Long.MIN_VALUE),
            Map.of(),
            NoLimitThroughputController.INSTANCE,
            User.getCurrent());
  }

  /** The region server begins anew by itself, and what the worker had written is gone. */
  @Test
  void workerIsKilledWithStripesHalfWritten() throws Exception {
    Configuration conf = cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(0));
    conf.setInt("zookeeper.session.timeout", 8_000);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (DaemonProcess worker = new DaemonProcess(conf, directory.resolve("issn"))) {
      MiniCluster.await(
          "the worker",
          () -> StorageNodes.of(cluster.util.getConfiguration()).answering().size() == 1);
      Map<String, String> settings = new HashMap<>(STRIPED);
      settings.put("hbase.store.stripe.compaction.minFilesL0", "100");
      CompactedTable table = new CompactedTable(cluster, "killed", ROWS, settings);
      HStore store = table.store();
      CompactionRequestImpl request =
          new CompactionRequestImpl(new ArrayList<>(store.getStorefiles()));
      SteeredCompactor.Steering steering = new SteeredCompactor.Steering(null, 30_000);
      CompletableFuture<List<Path>> files =
          CompletableFuture.supplyAsync(
              () -> inStripes(store, store.getStoreEngine().getCompactor(), request, steering),
              thread);
      // Of about 1.3 MB in four stripes.
      MiniCluster.await(
          "half of the cells",
          () -> store.getCompactionProgress().getCurrentCompactedKvs() > ROWS / 3);
      // A worker that is quicker than this thread is not asked for what it has.
      steering.halt();
      assertThat(table.attempts()).isEqualTo(1);
      worker.kill();
      steering.letGo();
      List<Path> own = files.get();
      assertThat(compactions.offloaded()).isZero();
      assertThat(compactions.local()).isEqualTo(1);
      assertThat(table.attempts()).isZero();
      List<Path> stock =
          inStripes(
              store,
              new StripeCompactor(store.getReadOnlyConfiguration(), store),
              request,
              steering);
      assertThat(contents(store, own)).hasSize(STRIPES).isEqualTo(contents(store, stock));
      own.addAll(stock);
      assertThat(table.temporaryFiles()).hasSameSizeAs(own);
      table.check();
    } finally {
      thread.shutdownNow();
    }
  }

  private static List<Path> inStripes(
      HStore store,
      Compactor<?> compactor,
      CompactionRequestImpl request,
      SteeredCompactor.Steering steering) {
    try {
      return ((StripeCompactor) compactor)
          .compact(
              request,
              STRIPES,
              ROWS / STRIPES,
              HConstants.EMPTY_BYTE_ARRAY,
              HConstants.EMPTY_BYTE_ARRAY,
              HConstants.EMPTY_BYTE_ARRAY,
              HConstants.EMPTY_BYTE_ARRAY,
              SteeredCompactor.rate(steering),
              User.getCurrent());
    } catch (IOException e) {
      throw new UncheckedIOException("Compaction of " + store, e);
    }
  }

  private static List<HFileContents> contents(HStore store, List<Path> files) throws IOException {
    FileSystem fs = store.getFileSystem();
    List<HFileContents> contents = new ArrayList<>();
    for (Path file : files) {
      contents.add(HFileContents.of(fs, file, store.getReadOnlyConfiguration()));
    }
    return contents;
  }
}
