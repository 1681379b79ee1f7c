package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.compaction.OffloadingMobCompactor;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.testing.Seed;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.crypto.KeyProviderForTesting;
import org.apache.hadoop.hbase.mob.DefaultMobStoreCompactor;
import org.apache.hadoop.hbase.mob.MobFileCleanupUtil;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.mob.RSMobFileCleanerChore;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Families with large objects, whose compactions leave the region server. {@code -Dishbase.seed=}
 * repeats a run, {@code -Dishbase.rounds=} makes it longer.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@OwnJvm
class OffloadedMobTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 20;
  private static final int THRESHOLD = 20;
  private static final int LARGEST = 40;
  private static final String MAX_FILE = "hbase.mob.compactions.max.file.size";

  /** In the text of a cell or of file info. */
  private static final Pattern MOB_FILE = Pattern.compile("[0-9a-f]{32}[0-9]{8}[0-9a-f]{32}_\\w+");

  @TempDir private java.nio.file.Path directory;
  private static MiniCluster cluster;
  private CompactionCounts compactions;
  private long anew;

  /** HBase's chore, when a test wants it. */
  private static final class Cleaner extends RSMobFileCleanerChore {
    Cleaner(HRegionServer server) {
      super(server);
    }

    void clean() {
      chore();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.set(
                  "hbase.hstore.mobengine.compactor.class", OffloadingMobCompactor.class.getName());
              // What nothing refers to goes as soon as a cleaner sees it.
              conf.setLong("hbase.mob.min.age.archive", 0);
              conf.set(
                  HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, KeyProviderForTesting.class.getName());
              conf.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "hbase");
              conf.setBoolean("ishbase.encrypted", true);
              conf.setInt("ishbase.compaction.lease", 10_000);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void count() {
    compactions = new CompactionCounts();
    anew = CompactionMetrics.get().local(LocalReason.MOB);
  }

  @AfterEach
  void drop() throws IOException {
    cluster.dropTables();
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setMobEnabled(true)
        .setMobThreshold(THRESHOLD)
        .setMaxVersions(3)
        // Of few cells, so that a MOB file has many.
        .setBlocksize(256);
  }

  private TableName create(String name, Map<String, String> settings) throws IOException {
    return create(name, family(), settings);
  }

  private TableName create(
      String name, ColumnFamilyDescriptorBuilder family, Map<String, String> settings)
      throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setColumnFamily(family.build())
            // None but those that a test asks for.
            .setValue("hbase.hstore.compaction.min", "100");
    settings.forEach(table::setValue);
    cluster.util.getAdmin().createTable(table.build());
    return TableName.valueOf(name);
  }

  private HRegion region(TableName name) {
    return cluster.regions(name).get(0);
  }

  private HMobStore store(TableName name) {
    return (HMobStore) region(name).getStore(FAMILY);
  }

  /** Puts of values on both sides of the threshold, deletes, and a flush. */
  private void change(TableName name, Random random, int changes) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      for (int change = 0; change < changes; change++) {
        byte[] row = Bytes.toBytes(String.format("row%03d", random.nextInt(ROWS)));
        byte[] qualifier = Bytes.toBytes("q" + random.nextInt(3));
        long timestamp = 1_600_000_000_000L + random.nextInt(5) * 86_400_000L;
        byte[] value = new byte[random.nextInt(LARGEST)];
        random.nextBytes(value);
        switch (random.nextInt(12)) {
          case 0 -> table.delete(new Delete(row));
          case 1 -> table.delete(new Delete(row).addColumns(FAMILY, qualifier, timestamp));
          case 2 -> table.delete(new Delete(row).addColumn(FAMILY, qualifier, timestamp));
          case 3 ->
              table.put(
                  new Put(row)
                      .addColumn(FAMILY, qualifier, timestamp, value)
                      .setTTL(random.nextBoolean() ? 1 : 86_400_000_000_000L));
          default -> table.put(new Put(row).addColumn(FAMILY, qualifier, timestamp, value));
        }
      }
    }
    cluster.util.flush(name);
  }

  private static CompactionRequestImpl majorOf(HMobStore store) {
    CompactionRequestImpl request =
        new CompactionRequestImpl(new ArrayList<>(store.getStorefiles()));
    request.setIsMajor(true, true);
    return request;
  }

  /** From which size on values are large. The region is opened again. */
  private void threshold(TableName name, int bytes) throws Exception {
    Admin admin = cluster.util.getAdmin();
    admin.modifyColumnFamily(
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(admin.getDescriptor(name).getColumnFamily(FAMILY))
            .setMobThreshold(bytes)
            .build());
    cluster.util.waitUntilNoRegionsInTransition();
  }

  private List<String> cells(TableName name) throws IOException {
    List<String> cells = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().readAllVersions())) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          cells.add(
              CellUtil.getCellKeyAsString(cell)
                  + " = "
                  + Bytes.toStringBinary(CellUtil.cloneValue(cell)));
        }
      }
    }
    return cells;
  }

  /** The MOB files to which the store's files say that they refer. */
  private static Set<String> references(HMobStore store) {
    Set<String> names = new TreeSet<>();
    for (HStoreFile file : store.getStorefiles()) {
      names.addAll(
          MobUtils.deserializeMobFileRefs(file.getMetadataValue(HStoreFile.MOB_FILE_REFS))
              .build()
              .values());
    }
    return names;
  }

  private static Set<String> names(FileSystem fs, Path directory) throws IOException {
    try {
      return new TreeSet<>(
          Arrays.stream(fs.listStatus(directory))
              .map(FileStatus::getPath)
              .map(Path::getName)
              .toList());
    } catch (FileNotFoundException e) {
      return Set.of();
    }
  }

  /** Both cleaners of HBase come by, and what they took is deleted for good. */
  private void clean(TableName name) throws Exception {
    Configuration conf = cluster.util.getConfiguration();
    // What was compacted no longer refers to anything.
    region(name).getStore(FAMILY).closeAndArchiveCompactedFiles();
    new Cleaner(cluster.util.getMiniHBaseCluster().getRegionServer(0)).clean();
    MobFileCleanupUtil.cleanupObsoleteMobFiles(conf, name, cluster.util.getAdmin());
    HMobStore store = store(name);
    FileSystem fs = store.getFileSystem();
    fs.delete(
        HFileArchiveUtil.getStoreArchivePath(
            conf, name, MobUtils.getMobRegionInfo(name).getEncodedName(), "f"),
        true);
    assertThat(names(fs, store.getPath())).isEqualTo(references(store));
    assertThat(names(fs, new Path(MobUtils.getMobHome(conf), ".tmp"))).isEmpty();
    assertThat(CompactedTable.temporaryFiles(cluster, region(name))).isEmpty();
    // Nobody has the deleted files open, and reads find what the files say.
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEFAULT", "FILE"})
  void allValuesAreThereAfterwards(String tracker) throws Exception {
    Random random = new Random(Seed.get());
    TableName name = create("mob", Map.of("hbase.store.file-tracker.impl", tracker));
    for (int round = 1; round <= 3; round++) {
      for (int file = 0; file < 3; file++) {
        change(name, random, 30);
      }
      // Of what lies in the store some becomes large, some large becomes small.
      threshold(name, THRESHOLD / 2 * round);
      List<String> before = cells(name);
      Set<String> old = references(store(name));
      region(name).compact(true);
      assertThat(store(name).getStorefilesCount()).isEqualTo(1);
      assertThat(compactions.offloaded()).isEqualTo(2L * round - 1);
      if (round == 1) {
        assertThat(references(store(name))).as("with a new MOB file").isNotEqualTo(old);
        assertThat(store(name).getCellsCountCompactedToMob()).isPositive();
        assertThat(store(name).getCellsSizeCompactedToMob()).isPositive();
      }
      assertThat(cells(name)).isEqualTo(before);
      clean(name);
      assertThat(cells(name)).isEqualTo(before);
      change(name, random, 30);
      before = cells(name);
      region(name).compact(true);
      assertThat(compactions.offloaded()).isEqualTo(2L * round);
      assertThat(compactions.local()).isZero();
      clean(name);
      assertThat(cells(name)).isEqualTo(before);
    }
    // One that was asked for writes the large objects anew, here.
    List<String> before = cells(name);
    Set<String> old = references(store(name));
    cluster.util.getAdmin().majorCompact(name);
    MiniCluster.await(
        "the compaction", () -> CompactionMetrics.get().local(LocalReason.MOB) > anew);
    MiniCluster.await("its end", () -> references(store(name)).stream().noneMatch(old::contains));
    clean(name);
    assertThat(cells(name)).isEqualTo(before);
  }

  /** The region server dies before HBase's commit: what was moved goes, what was there stays. */
  @Test
  void whatIsNotCommittedIsCleanedAway() throws Exception {
    TableName name = create("given_up", Map.of());
    Random random = new Random(Seed.get());
    change(name, random, 100);
    change(name, random, 100);
    threshold(name, 0);
    List<String> before = cells(name);
    HMobStore store = store(name);
    Set<String> mob = names(store.getFileSystem(), store.getPath());
    CompactionRequestImpl request = majorOf(store);
    own(store).compact(request, NoLimitThroughputController.INSTANCE, User.getCurrent());
    assertThat(compactions.offloaded()).isEqualTo(1);
    assertThat(names(store.getFileSystem(), store.getPath())).hasSize(mob.size() + 1);
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
    clean(name);
    assertThat(names(store.getFileSystem(), store.getPath())).isEqualTo(mob);
    assertThat(cells(name)).isEqualTo(before);
  }

  /** The same compactions by HBase's compactor and by a worker. */
  @ParameterizedTest
  @CsvSource({"full, 1, false", "optimized, 500, false", "full, 1, true"})
  void writesWhatStockWrites(String type, String maxFile, boolean encrypted) throws Exception {
    Random random = new Random(Seed.get());
    TableName name =
        create(
            "same",
            encrypted ? family().setEncryptionType("AES") : family(),
            Map.of("hbase.mob.compaction.type", type, MAX_FILE, maxFile));
    int compacted = 0;
    int large = 0;
    for (int round = 0; round < 6 * Integer.getInteger("ishbase.rounds", 1); round++) {
      change(name, random, 40);
      threshold(name, random.nextInt(LARGEST));
      large += compare(store(name), random);
      compacted++;
    }
    assertThat(large).isPositive();
    assertThat(compactions.offloaded()).isEqualTo(compacted);
    assertThat(compactions.local()).isZero();
  }

  /** References to another table's MOB files, in links, and then in halves, of files. */
  @Test
  void clonesAndDaughters() throws Exception {
    Random random = new Random(Seed.get());
    Admin admin = cluster.util.getAdmin();
    // Daughters would compact by themselves.
    TableName original = create("original", Map.of("COMPACTION_ENABLED", "false"));
    change(original, random, 60);
    change(original, random, 60);
    admin.snapshot("snapshot", original);
    TableName clone = TableName.valueOf("clone");
    admin.cloneSnapshot("snapshot", clone);
    // Its MOB files are in the archive now.
    admin.disableTable(original);
    admin.deleteTable(original);
    change(clone, random, 60);
    threshold(clone, THRESHOLD / 2);
    assertThat(compare(store(clone), random) + compare(store(clone), random)).isPositive();
    List<String> before = cells(clone);
    cluster.split(clone, Bytes.toBytes(String.format("row%03d", ROWS / 2)));
    assertThat(cluster.regions(clone)).hasSize(2);
    for (HRegion region : cluster.regions(clone)) {
      compare((HMobStore) region.getStore(FAMILY), random);
      region.compact(true);
    }
    assertThat(compactions.offloaded()).isEqualTo(6);
    assertThat(compactions.local()).isZero();
    assertThat(cells(clone)).isEqualTo(before);
    for (HRegion region : cluster.regions(clone)) {
      region.getStore(FAMILY).closeAndArchiveCompactedFiles();
    }
    new Cleaner(cluster.util.getMiniHBaseCluster().getRegionServer(0)).clean();
    assertThat(cells(clone)).isEqualTo(before);
  }

  /** Compacts some files of the store twice; how many MOB files that made. */
  private static int compare(HMobStore store, Random random) throws IOException {
    List<HStoreFile> files = new ArrayList<>(store.getStorefiles());
    boolean all = random.nextBoolean();
    if (!all) {
      int from = random.nextInt(files.size());
      files = files.subList(from, from + 1 + random.nextInt(files.size() - from));
    }
    CompactionRequestImpl request = new CompactionRequestImpl(files);
    request.setIsMajor(all && random.nextBoolean(), all);
    Output stock = compact(store, stock(store), request, NoLimitThroughputController.INSTANCE);
    Output worker = compact(store, own(store), request, NoLimitThroughputController.INSTANCE);
    assertThat(worker).as(request.toString()).isEqualTo(stock);
    return stock.mob().size();
  }

  private static DefaultCompactor stock(HMobStore store) {
    return new DefaultMobStoreCompactor(store.getReadOnlyConfiguration(), store);
  }

  private static DefaultCompactor own(HMobStore store) {
    return (DefaultCompactor) store.getStoreEngine().getCompactor();
  }

  /** HBase's default compactor would write files that do not say to what they refer. */
  @Test
  void theOtherCompactorByMistake() throws Exception {
    TableName name =
        create(
            "mistake",
            Map.of("hbase.hstore.mobengine.compactor.class", OffloadingCompactor.class.getName()));
    Random random = new Random(Seed.get());
    change(name, random, 60);
    change(name, random, 60);
    compare(store(name), random);
    assertThat(compactions.offloaded()).isEqualTo(1);
    List<String> before = cells(name);
    cluster.util.getAdmin().majorCompact(name);
    MiniCluster.await(
        "the compaction", () -> CompactionMetrics.get().local(LocalReason.MOB) > anew);
    MiniCluster.await("its end", () -> store(name).getStorefilesCount() == 1);
    clean(name);
    assertThat(cells(name)).isEqualTo(before);
  }

  /** What a compaction wrote, but for the names of the new MOB files, which are one of a kind. */
  private record Output(
      List<String> cells,
      Set<String> references,
      Map<String, String> info,
      String trailer,
      List<HFileContents> mob) {}

  /** Compacts, looks, and deletes what was written. */
  private static Output compact(
      HMobStore store,
      DefaultCompactor compactor,
      CompactionRequestImpl request,
      ThroughputController throughput)
      throws IOException {
    FileSystem fs = store.getFileSystem();
    Configuration conf = store.getReadOnlyConfiguration();
    Set<String> before = names(fs, store.getPath());
    List<Path> files = compactor.compact(request, throughput, User.getCurrent());
    assertThat(files).hasSize(1);
    Set<String> fresh = new HashSet<>(names(fs, store.getPath()));
    fresh.removeAll(before);
    HFileContents written = HFileContents.of(fs, files.get(0), conf);
    // In the order in which the cells refer to them.
    Map<String, String> known = new LinkedHashMap<>();
    List<String> cells =
        written.cells().stream().map(cell -> anonymous(cell, fresh, known)).toList();
    assertThat(known.keySet()).isEqualTo(fresh);
    List<HFileContents> mob = new ArrayList<>();
    for (String name : known.keySet()) {
      mob.add(HFileContents.of(fs, new Path(store.getPath(), name), conf));
      fs.delete(new Path(store.getPath(), name), false);
    }
    fs.delete(files.get(0), false);
    Map<String, String> info = new TreeMap<>(written.info());
    Set<String> references = new TreeSet<>();
    Matcher names = MOB_FILE.matcher(info.remove(Bytes.toString(HStoreFile.MOB_FILE_REFS)));
    while (names.find()) {
      references.add(anonymous(names.group(), fresh, known));
    }
    return new Output(cells, references, info, written.trailer(), mob);
  }

  private static String anonymous(String text, Set<String> fresh, Map<String, String> known) {
    return MOB_FILE
        .matcher(text)
        .replaceAll(
            found -> {
              String name = found.group();
              return fresh.contains(name)
                  ? known.computeIfAbsent(
                      // Start key and day are the same.
                      name, any -> name.substring(0, 40) + " new " + known.size())
                  : name;
            });
  }

  /** What it had written is gone, and nothing refers to it. Last: it leaves no worker. */
  @Test
  @Order(Integer.MAX_VALUE)
  void workerIsKilledWithLargeObjectsHalfWritten() throws Exception {
    cluster.stopDaemons();
    Configuration conf = cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(0));
    conf.setInt("zookeeper.session.timeout", 8_000);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (DaemonProcess worker = new DaemonProcess(conf, directory.resolve("issn"))) {
      MiniCluster.await(
          "the worker",
          () -> StorageNodes.of(cluster.util.getConfiguration()).answering().size() == 1);
      TableName name = create("killed", Map.of());
      Random random = new Random(Seed.get());
      for (int file = 0; file < 3; file++) {
        change(name, random, 100);
      }
      threshold(name, 0);
      List<String> before = cells(name);
      HMobStore store = store(name);
      Set<String> mob = names(store.getFileSystem(), store.getPath());
      CompactionRequestImpl request = majorOf(store);
      // From here on: one of a test before may have ended meanwhile.
      compactions = new CompactionCounts();
      SteeredCompactor.Steering steering = new SteeredCompactor.Steering(null, 500);
      CompletableFuture<Output> output =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return compact(store, own(store), request, SteeredCompactor.rate(steering));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              thread);
      MiniCluster.await(
          "some cells", () -> store.getCompactionProgress().getCurrentCompactedKvs() > 10);
      // A worker that is quicker than this thread is not asked for what it has.
      steering.halt();
      assertThat(names(store.getFileSystem(), store.getPath())).isEqualTo(mob);
      worker.kill();
      steering.letGo();
      Output own = output.get();
      assertThat(compactions.offloaded()).isZero();
      assertThat(compactions.local()).isEqualTo(1);
      assertThat(own)
          .isEqualTo(compact(store, stock(store), request, NoLimitThroughputController.INSTANCE));
      assertThat(own.mob()).isNotEmpty();
      assertThat(names(store.getFileSystem(), store.getPath())).isEqualTo(mob);
      assertThat(CompactedTable.temporaryFiles(cluster, region(name))).isEmpty();
      assertThat(cells(name)).isEqualTo(before);
      clean(name);
      assertThat(cells(name)).isEqualTo(before);
    } finally {
      thread.shutdownNow();
    }
  }
}
