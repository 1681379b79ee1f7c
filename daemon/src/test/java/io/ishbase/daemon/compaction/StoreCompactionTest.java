package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.CompactionLayout;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Mob;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compactions as the daemon carries them out, on the files of a region that nobody has open. */
class StoreCompactionTest {
  private static final String ATTEMPT = "0123456789abcdef".repeat(2);
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir java.nio.file.Path temp;

  private final Configuration site = HBaseConfiguration.create();
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
          .build();
  private final RegionInfo region = RegionInfoBuilder.newBuilder(table.getTableName()).build();
  private FileSystem fs;
  private Path root;
  private Path store;
  private Path attempt;

  @BeforeEach
  void makeFiles() throws IOException {
    root = new Path(temp.toUri());
    CommonFSUtils.setRootDir(site, root);
    fs = new HFileSystem(site, true);
    Path regionDirectory =
        new Path(CommonFSUtils.getTableDir(root, table.getTableName()), region.getEncodedName());
    store = new Path(regionDirectory, "f");
    attempt = AttemptDirectory.of(regionDirectory, ATTEMPT);
    fs.mkdirs(attempt);
    for (int file = 1; file <= 2; file++) {
      write(file, KeyValue.Type.Put);
    }
  }

  private void write(int sequenceId, KeyValue.Type type, Tag... tags) throws IOException {
    Path path = new Path(store, String.valueOf(sequenceId).repeat(32));
    StoreFileWriter writer =
        new StoreFileWriter.Builder(site, new CacheConfig(site), fs)
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(10)
            .withFileContext(
                new HFileContextBuilder().withIncludesMvcc(true).withIncludesTags(true).build())
            .build();
    for (int row = 0; row < 10; row++) {
      KeyValue cell =
          new KeyValue(
              Bytes.toBytes("r" + row), FAMILY, FAMILY, sequenceId, type, FAMILY, List.of(tags));
      cell.setSequenceId(sequenceId);
      writer.append(cell);
    }
    writer.appendMetadata(sequenceId, false);
    writer.close();
  }

  private CompactRequest.Builder request() throws IOException {
    CompactRequest.Builder request =
        CompactRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(ATTEMPT)
            .setRegionServer("rs,1,1")
            .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(table)))
            .setRegion(UnsafeByteOperations.unsafeWrap(RegionInfo.toByteArray(region)))
            .setMajor(true)
            .setAllFiles(true)
            .setReadPoint(100)
            .setNow(System.currentTimeMillis())
            .setBytes(1)
            .setLeaseMillis(1000);
    namesIn(store).forEach(request::addFile);
    return request;
  }

  private List<String> namesIn(Path directory) throws IOException {
    return Arrays.stream(fs.listStatus(directory))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .sorted()
        .toList();
  }

  private List<String> compact(CompactRequest request) throws IOException, RequestException {
    return compact(request, () -> true);
  }

  /**
   * Compacts.
   *
   * @param afterCell asked after each cell, whether to go on
   */
  private List<String> compact(CompactRequest request, BooleanSupplier afterCell)
      throws IOException, RequestException {
    ProcessorBudget budget = new ProcessorBudget(1, 1, () -> 0, () -> 0, () -> 1, System::nanoTime);
    return new StoreCompaction(request, WriterSettings.without(site), fs, root, new RemoteCache(0))
        .run(new JobThrottle(budget, 0, 1, afterCell), () -> true, cells -> {});
  }

  /** It would end the worker, and then the next one. */
  @Test
  void whatTakesMoreMemoryThanThereIsIsNotBegun() throws Exception {
    CompactRequest request =
        of(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(Integer.MAX_VALUE))
            .build();
    assertThatThrownBy(() -> compact(request, () -> true))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.STORAGE))
        .hasMessageContaining("BLOCKSIZE");
    assertThat(namesIn(attempt)).isEmpty();
  }

  /** Writers of windows have a block each until the end. */
  @Test
  void blocksOfNewFilesCountToo() throws Exception {
    Windows.Builder windows = Windows.newBuilder().addFrom(Long.MIN_VALUE);
    for (int from = 1; from < CompactionLayout.MAX_FILES; from++) {
      windows.addFrom(from);
    }
    assertThat(compact(withBlocks(8 << 20, "1024").build())).hasSize(1);
    assertThat(compact(withBlocks(64 << 10, "131072").setWindows(windows).build())).hasSize(1);
    assertThatThrownBy(() -> compact(withBlocks(1 << 20, "1048576").setWindows(windows).build()))
        .isInstanceOf(RequestException.class);
    assertThatThrownBy(() -> compact(withBlocks(8 << 20, "1024").setWindows(windows).build()))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.STORAGE));
    assertThatThrownBy(() -> compact(withBlocks(1024, "1060000000").build()))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.STORAGE))
        .hasMessageContaining("io.storefile.bloom.block.size");
  }

  private CompactRequest.Builder withBlocks(int bytes, String bytesOfBloomFilter)
      throws IOException {
    return of(
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBlocksize(bytes)
            .setConfiguration("io.storefile.bloom.block.size", bytesOfBloomFilter));
  }

  private CompactRequest.Builder of(ColumnFamilyDescriptorBuilder family) throws IOException {
    TableDescriptor other =
        TableDescriptorBuilder.newBuilder(table).modifyColumnFamily(family.build()).build();
    return request()
        .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(other)));
  }

  /** HBase's heap would go to the put for ever, which has no place behind the marker. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anExpiredMarkerBesideItsPutInAColumnWithoutANameIsPassed() throws Exception {
    fs.delete(store, true);
    byte[] noName = new byte[0];
    write(
        1,
        new KeyValue(Bytes.toBytes("r"), FAMILY, noName, 5, KeyValue.Type.Delete),
        new KeyValue(Bytes.toBytes("r"), FAMILY, noName, 5, KeyValue.Type.Put, FAMILY),
        new KeyValue(Bytes.toBytes("s"), FAMILY, FAMILY, System.currentTimeMillis(), FAMILY));
    CompactRequest.Builder expiring =
        of(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setTimeToLive(86_400));
    assertThat(cells(compact(expiring.build()))).isEqualTo(1);
    site.set(Setting.ISSN_COMPACTION_COPY.key(), "none");
    assertThat(cells(compact(expiring.build()))).isEqualTo(1);
    Windows.Builder window = Windows.newBuilder().addFrom(Long.MIN_VALUE);
    assertThat(cells(compact(expiring.setWindows(window).build()))).isEqualTo(1);
    Stripes.Builder stripe =
        Stripes.newBuilder().addBoundary(ByteString.EMPTY).addBoundary(ByteString.EMPTY);
    assertThat(cells(compact(expiring.setStripes(stripe).build()))).isEqualTo(1);
    stripe.setMajorFrom(ByteString.EMPTY).setMajorTo(ByteString.EMPTY);
    assertThat(cells(compact(expiring.setStripes(stripe).build()))).isEqualTo(1);
  }

  private void write(int sequenceId, KeyValue... cells) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(site, new CacheConfig(site), fs)
            .withFilePath(new Path(store, String.valueOf(sequenceId).repeat(32)))
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(cells.length)
            .withFileContext(new HFileContextBuilder().withIncludesMvcc(true).build())
            .build();
    for (KeyValue cell : cells) {
      cell.setSequenceId(sequenceId);
      writer.append(cell);
    }
    writer.appendMetadata(sequenceId, false);
    writer.close();
  }

  private long cells(List<String> files) throws IOException {
    long cells = 0;
    for (String file : files) {
      try (HFile.Reader reader =
          HFile.createReader(fs, new Path(attempt, file), CacheConfig.DISABLED, true, site)) {
        cells += reader.getEntries();
      }
    }
    return cells;
  }

  /** The region may be another's by then, or its table dropped. */
  @Test
  void noFileIsBegunOnceTheAttemptIsGone() throws Exception {
    Stripes halves =
        Stripes.newBuilder()
            .addBoundary(ByteString.EMPTY)
            .addBoundary(ByteString.copyFromUtf8("r5"))
            .addBoundary(ByteString.EMPTY)
            .build();
    AtomicInteger cells = new AtomicInteger();
    BooleanSupplier deletes =
        () -> {
          try {
            return cells.incrementAndGet() != 3 || fs.delete(attempt, true);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    assertThatThrownBy(() -> compact(request().setStripes(halves).build(), deletes))
        .hasMessageContaining("over");
    assertThat(cells).hasValueGreaterThan(3);
    assertThat(fs.exists(attempt)).isFalse();
  }

  /** As far as clocks may be apart: those who read go by the region server's. */
  @Test
  void cellsExpireByTheClockOfTheRegionServer() throws Exception {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
    keepsAllAtTheEndOfTheirTime(family.setTimeToLive(60).build());
  }

  @Test
  void markersStayByTheClockOfTheRegionServer() throws Exception {
    write(3, KeyValue.Type.DeleteColumn);
    keepsAllAtTheEndOfTheirTime(
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setConfiguration("hbase.hstore.time.to.purge.deletes", "60000")
            .build());
  }

  @Test
  void cellsWithATimeToLiveOfTheirOwnExpireByIt() throws Exception {
    fs.delete(store, true);
    write(3, KeyValue.Type.Put, new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(60_000L)));
    keepsAllAtTheEndOfTheirTime(ColumnFamilyDescriptorBuilder.of(FAMILY));
  }

  /** 40 s after they were written by the region server's clock, 69 s by the worker's. */
  private void keepsAllAtTheEndOfTheirTime(ColumnFamilyDescriptor family) throws Exception {
    TableDescriptor changed =
        TableDescriptorBuilder.newBuilder(table).modifyColumnFamily(family).build();
    CompactRequest.Builder request =
        request()
            .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(changed)))
            .setNow(40_000);
    EnvironmentEdgeManager.injectEdge(() -> 69_000);
    try {
      List<String> output = compact(request.build());
      try (HFile.Reader file =
          HFile.createReader(
              fs, new Path(attempt, output.get(0)), new CacheConfig(site), true, site)) {
        assertThat(file.getEntries()).isEqualTo(10);
      }
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  @Test
  void anotherFileTrackerInItsSiteDoesNotMakeItWriteIntoTheStore() throws Exception {
    site.set("hbase.store.file-tracker.impl", "FILE");
    List<String> before = namesIn(store);
    List<String> output = compact(request().build());
    assertThat(namesIn(store)).isEqualTo(before);
    assertThat(output).hasSize(1);
    assertThat(fs.exists(new Path(attempt, output.get(0)))).isTrue();
  }

  @Test
  void whateverTheTrackerNothingIsWrittenOutsideTheAttempt() throws Exception {
    for (String tracker : List.of("DEFAULT", "FILE")) {
      TableDescriptor tracked =
          TableDescriptorBuilder.newBuilder(table)
              .setValue("hbase.store.file-tracker.impl", tracker)
              .build();
      List<String> before = everythingBut(attempt);
      List<String> output =
          compact(
              request()
                  .setTable(
                      UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(tracked)))
                  .build());
      assertThat(everythingBut(attempt)).as(tracker).isEqualTo(before);
      assertThat(fs.exists(new Path(attempt, output.get(0)))).as(tracker).isTrue();
    }
  }

  /** Of the newer window alone the table says where its blocks shall lie. */
  @Test
  void eachWindowHasItsFile() throws Exception {
    List<String> output =
        compact(
            withVersions(Map.of())
                .setWindows(
                    Windows.newBuilder()
                        .addFrom(Long.MIN_VALUE)
                        .addFrom(2)
                        .addFrom(3)
                        .addPolicy(StoragePolicy.newBuilder().setFrom(2).setName("ALL_SSD")))
                .build());
    assertThat(output).hasSize(2);
    assertThat(output.get(0)).matches("f/[0-9a-f]{32}");
    assertThat(output.get(1)).matches("f/storage_policy_ALL_SSD/[0-9a-f]{32}");
    for (String file : output) {
      assertThat(fs.exists(new Path(attempt, file))).isTrue();
    }
  }

  /** A policy of the table's may be of a class that only its region servers have. */
  @Test
  void partsOfTheEngineThatTheTableNamesAreNotLookedFor() throws Exception {
    TableDescriptorBuilder named = TableDescriptorBuilder.newBuilder(table);
    for (String part : List.of("compactor", "compactionpolicy", "storeflusher")) {
      named.setValue("hbase.hstore.defaultengine." + part + ".class", "of.a.Stranger");
    }
    named.setValue("hbase.regionserver.memstore.class", "of.a.Stranger");
    assertThat(
            compact(
                request()
                    .setTable(
                        UnsafeByteOperations.unsafeWrap(
                            TableDescriptorBuilder.toByteArray(named.build())))
                    .build()))
        .hasSize(1);
  }

  /** HBase keeps them apart with its own compactor only; else they would be lost. */
  @Test
  void historicalVersionsStayWithTheOthers() throws Exception {
    write(3, KeyValue.Type.DeleteColumn);
    CompactRequest.Builder request =
        withVersions(Map.of("hbase.enable.historical.compaction.files", "true"));
    assertThat(compact(request.build())).hasSize(1);
    List<String> stripes =
        compact(
            request
                .setStripes(
                    Stripes.newBuilder()
                        .addBoundary(ByteString.EMPTY)
                        .addBoundary(ByteString.copyFromUtf8("r5"))
                        .addBoundary(ByteString.EMPTY))
                .build());
    assertThat(stripes).hasSize(2);
    assertThat(cells(stripes)).isEqualTo(30);
  }

  /** HBase's compactor would move them to the table's directory itself. */
  @Test
  void largeObjectsStayInTheAttempt() throws Exception {
    List<String> before = everythingBut(attempt);
    List<String> output =
        compact(
            withLargeObjects().setMob(Mob.newBuilder().setTimeZone("America/Anchorage")).build());
    assertThat(everythingBut(attempt)).isEqualTo(before);
    assertThat(output).hasSize(2);
    assertThat(output.get(0)).matches("f/[0-9a-f]{32}");
    // There it is still the day before.
    assertThat(output.get(1))
        .matches("\\.mob/[0-9a-f]{32}19691231[0-9a-f]{32}_" + region.getEncodedName());
    String mob = output.get(1).substring(".mob/".length());
    try (HFile.Reader reader =
        HFile.createReader(
            fs, new Path(attempt, output.get(0)), CacheConfig.DISABLED, true, site)) {
      assertThat(reader.getEntries()).isEqualTo(10);
      assertThat(
              MobUtils.deserializeMobFileRefs(reader.getHFileInfo().get(HStoreFile.MOB_FILE_REFS))
                  .build()
                  .entries())
          .containsExactly(Map.entry(table.getTableName(), mob));
    }
    try (HFile.Reader reader =
        HFile.createReader(
            fs, new Path(attempt, output.get(1)), CacheConfig.DISABLED, true, site)) {
      assertThat(reader.getEntries()).isEqualTo(10);
    }
  }

  /** Another compactor would lose what refers to large objects. */
  @Test
  void largeObjectsAreNotCompactedAsOtherCells() throws Exception {
    CompactRequest large = withLargeObjects().build();
    assertThatThrownBy(() -> compact(large)).isInstanceOf(RequestException.class);
    CompactRequest small = request().setMob(Mob.newBuilder().setTimeZone("UTC")).build();
    assertThatThrownBy(() -> compact(small)).isInstanceOf(RequestException.class);
    assertThat(fs.listStatus(attempt)).isEmpty();
  }

  private CompactRequest.Builder withLargeObjects() throws IOException {
    TableDescriptor large =
        TableDescriptorBuilder.newBuilder(table)
            .modifyColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setMobEnabled(true)
                    .setMobThreshold(0)
                    .build())
            .build();
    return request()
        .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(large)));
  }

  private CompactRequest.Builder withVersions(Map<String, String> settings) throws IOException {
    TableDescriptorBuilder keeping =
        TableDescriptorBuilder.newBuilder(table)
            .modifyColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setMaxVersions(5)
                    .setKeepDeletedCells(KeepDeletedCells.TRUE)
                    .build());
    settings.forEach(keeping::setValue);
    return request()
        .setTable(
            UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(keeping.build())));
  }

  private List<String> everythingBut(Path directory) throws IOException {
    List<String> paths = new ArrayList<>();
    var files = fs.listFiles(root, true);
    while (files.hasNext()) {
      String path = files.next().getPath().toUri().getPath();
      if (!path.startsWith(directory.toUri().getPath())) {
        paths.add(path);
      }
    }
    return paths.stream().sorted().toList();
  }
}
