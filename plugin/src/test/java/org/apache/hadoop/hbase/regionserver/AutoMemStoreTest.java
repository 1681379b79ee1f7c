package org.apache.hadoop.hbase.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hbase.thirdparty.io.netty.util.IllegalReferenceCountException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link AutoMemStore} in a region, with segments of some hundred bytes, beside HBase's own. */
class AutoMemStoreTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int OPERATIONS = 4000;
  private static final int FLUSH_BYTES = 40_000;

  /** Of a region that logs what is written. */
  private static final String WITH_WAL = "wal";

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private final List<HRegion> regions = new ArrayList<>();

  @BeforeAll
  static void chunks() {
    ChunkCreator.initialize(
        MemStoreLAB.CHUNK_SIZE_DEFAULT,
        false,
        0,
        0,
        0,
        null,
        MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    for (HRegion region : regions) {
      region.close();
    }
  }

  private HRegion open(
      String name, boolean isAuto, boolean usesChunks, ColumnFamilyDescriptorBuilder family)
      throws IOException {
    return open(name, isAuto, usesChunks, family, FLUSH_BYTES);
  }

  private HRegion open(
      String name,
      boolean isAuto,
      boolean usesChunks,
      ColumnFamilyDescriptorBuilder family,
      long flushBytes)
      throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set("hbase.rootdir", directory.resolve(name).toUri().toString());
    conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, usesChunks);
    conf.setBoolean("hbase.regionserver.hlog.enabled", name.equals(WITH_WAL));
    conf.set("hbase.wal.provider", "filesystem");
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.setLong("hbase.hregion.memstore.flush.size", flushBytes);
    conf.setInt("hbase.hregion.memstore.block.multiplier", 1_000);
    if (isAuto) {
      conf.set(CompactingMemStore.COMPACTING_MEMSTORE_TYPE_KEY, "BASIC");
      conf.set(HStore.MEMSTORE_CLASS_NAME, AutoMemStore.class.getName());
      conf.setDouble(
          CompactingMemStore.IN_MEMORY_FLUSH_THRESHOLD_FACTOR_KEY, AutoMemStore.NO_THRESHOLD);
      conf.setLong(MemStoreLAB.CHUNK_SIZE_KEY, 300);
      conf.setLong(MemStoreLAB.MAX_ALLOC_KEY, 300);
    }
    RegionInfo info = RegionInfoBuilder.newBuilder(TableName.valueOf("t")).setRegionId(1).build();
    HRegion region =
        HRegion.createHRegion(
            info,
            CommonFSUtils.getRootDir(conf),
            conf,
            TableDescriptorBuilder.newBuilder(info.getTable())
                .setColumnFamily(family.build())
                .build(),
            new WALFactory(conf, name).getWAL(info));
    regions.add(region);
    return region;
  }

  private static ColumnFamilyDescriptorBuilder family(int versions) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(versions);
  }

  /** What a write does to both. */
  private interface Write {
    void to(HRegion region) throws IOException;
  }

  /** The segment leaves while the cell that fills it is on its way into it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCellThatFillsASegmentKeepsItsTags(boolean usesChunks) throws IOException {
    HRegion region = open("tags" + usesChunks, true, usesChunks, family(1), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    memstore.allowCompaction.set(false);
    region.put(
        new Put(FAMILY).addColumn(FAMILY, FAMILY, new byte[40_000]).setTTL(Long.MAX_VALUE / 2));
    assertThat(memstore.getActive().isEmpty()).as("it has left").isTrue();
    region.flush(true);
    HStoreFile file = region.getStore(FAMILY).getStorefiles().iterator().next();
    assertThat(file.getReader().getHFileReader().getFileContext().isIncludesTags()).isTrue();
  }

  /** Cells of one batch have one sequence id, and the segment may leave between two of them. */
  @ParameterizedTest
  @CsvSource({
    "false, false, false",
    "true, false, false",
    "true, true, false",
    "true, false, true"
  })
  void theLastPutOfABatchCounts(boolean isAuto, boolean usesChunks, boolean isMerged)
      throws IOException {
    HRegion region = open("batch" + usesChunks, isAuto, usesChunks, family(1), 1 << 20);
    MemStore memstore = region.getStore(FAMILY).memstore;
    if (memstore instanceof AutoMemStore auto) {
      auto.allowCompaction.set(isMerged);
    }
    byte[] before = Bytes.toBytes("a");
    byte[] row = Bytes.toBytes("k");
    for (int i = 0; i < 3; i++) {
      byte[] last = Bytes.toBytes("last" + i);
      region.batchMutate(
          new Mutation[] {
            new Put(row, i + 1).addColumn(FAMILY, FAMILY, new byte[40_000]),
            new Put(row, i + 1).addColumn(FAMILY, FAMILY, last)
          });
      region.put(new Put(before, i + 1).addColumn(FAMILY, FAMILY, before));
      while (memstore instanceof AutoMemStore auto
          && isMerged
          && auto.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      assertThat(cells(region, 1)).last().asString().endsWith(Bytes.toString(last));
      assertThat(region.get(new Get(row)).value()).isEqualTo(last);
      if (i == 1) {
        region.flush(true);
        assertThat(cells(region, 1)).last().asString().endsWith(Bytes.toString(last));
      }
    }
    region.flush(true);
    assertThat(region.get(new Get(row)).value()).isEqualTo(Bytes.toBytes("last2"));
  }

  /** An older edit than a merge has left may be on its way to the memstore. */
  @Test
  void theWalKeepsWhatIsNotFlushed() throws IOException {
    HRegion region = open(WITH_WAL, true, false, family(1), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    byte[] encoded = region.getRegionInfo().getEncodedNameAsBytes();
    byte[] row = Bytes.toBytes("k");
    region.put(new Put(row, 1).addColumn(FAMILY, FAMILY, row));
    long first = region.getWAL().getEarliestMemStoreSeqNum(encoded, FAMILY);
    assertThat(first).isPositive();
    boolean hasDropped = false;
    for (int i = 2; i < 200; i++) {
      int before = cells(memstore.getSegments());
      region.put(new Put(row, i).addColumn(FAMILY, FAMILY, new byte[20_000]));
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      hasDropped |= cells(memstore.getSegments()) < before;
    }
    assertThat(hasDropped).isTrue();
    assertThat(region.getWAL().getEarliestMemStoreSeqNum(encoded, FAMILY)).isEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource({
    "1, false, FALSE",
    "3, false, FALSE",
    "1, true, FALSE",
    "3, true, FALSE",
    "2, false, TRUE"
  })
  void readsAreThoseOfHBasesMemstore(int versions, boolean usesChunks, KeepDeletedCells keeps)
      throws Exception {
    ColumnFamilyDescriptorBuilder family = family(versions).setKeepDeletedCells(keeps);
    HRegion stock = open("stock", false, usesChunks, family);
    HRegion ours = open("auto", true, usesChunks, family);
    assertThat(ours.getStore(FAMILY).isSloppyMemStore()).isTrue();
    for (int i = 0; i < OPERATIONS; i++) {
      Write write = write(i + 1, versions > 2);
      write.to(stock);
      write.to(ours);
      if (random.nextInt(50) == 0) {
        assertThat(cells(ours, versions)).isEqualTo(cells(stock, versions));
      }
      // When it is full, or earlier.
      if (stock.getMemStoreHeapSize() > 2 * FLUSH_BYTES || random.nextInt(500) == 0) {
        stock.flush(true);
      }
      if (ours.getMemStoreHeapSize() > FLUSH_BYTES || random.nextInt(500) == 0) {
        ours.flush(true);
      }
    }
    stock.flush(true);
    ours.flush(true);
    assertThat(ours.getMemStoreDataSize()).isZero();
    stock.compact(true);
    ours.compact(true);
    assertThat(cells(ours, versions)).isEqualTo(cells(stock, versions));
  }

  /**
   * @param ofOneVersion whether deletes may be of one version: what that hid comes back, unless a
   *     flush or merge has dropped it as one too many
   */
  private Write write(long time, boolean ofOneVersion) {
    byte[] row = Bytes.toBytes("r" + (int) Math.pow(40, random.nextDouble()));
    byte[] column = Bytes.toBytes("q" + random.nextInt(3));
    byte[] counter = Bytes.toBytes("n");
    long earlier = Math.max(1, time - random.nextInt(20));
    byte[] value = Bytes.toBytes("v" + time + "-".repeat(random.nextInt(30)));
    return switch (ofOneVersion ? random.nextInt(12) : 2 + random.nextInt(10)) {
      case 3 -> region -> region.delete(new Delete(row, earlier));
      case 1 -> region -> region.delete(new Delete(row).addColumn(FAMILY, column, earlier));
      case 2 -> region -> region.delete(new Delete(row).addColumns(FAMILY, column, earlier));
      case 0 -> region -> region.delete(new Delete(row).addFamilyVersion(FAMILY, earlier));
      case 4 -> region -> region.increment(new Increment(row).addColumn(FAMILY, counter, 1));
      case 5 -> region -> region.append(new Append(row).addColumn(FAMILY, Bytes.toBytes("a"), row));
      default -> region -> region.put(new Put(row, earlier).addColumn(FAMILY, column, value));
    };
  }

  private static List<String> cells(HRegion region, int versions) throws IOException {
    List<String> all = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(new Scan().readVersions(versions))) {
      List<Cell> row = new ArrayList<>();
      boolean hasMore;
      do {
        row.clear();
        hasMore = scanner.next(row);
        for (Cell cell : row) {
          boolean hasOwnTime = Bytes.toString(CellUtil.cloneQualifier(cell)).startsWith("q");
          all.add(
              Bytes.toString(CellUtil.cloneRow(cell))
                  + Bytes.toString(CellUtil.cloneQualifier(cell))
                  + (hasOwnTime ? cell.getTimestamp() : "")
                  + Bytes.toStringBinary(CellUtil.cloneValue(cell)));
        }
      } while (hasMore);
    }
    return all;
  }

  /** What many write at once, while it is compacted and flushed, is there, and counted. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void nothingIsLostAmongWriters(boolean usesChunks) throws Exception {
    HRegion region = open("many", true, usesChunks, family(1));
    int writers = 4;
    int rows = 50;
    int rounds = 200;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        int id = writer;
        all.add(
            threads.submit(
                () -> {
                  for (int round = 1; round <= rounds; round++) {
                    for (int row = 0; row < rows; row++) {
                      region.put(
                          new Put(Bytes.toBytes(id + "-" + row), round)
                              .addColumn(FAMILY, FAMILY, Bytes.toBytes(round)));
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> writer : all) {
        while (!writer.isDone()) {
          region.flush(true);
        }
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    for (int writer = 0; writer < writers; writer++) {
      for (int row = 0; row < rows; row++) {
        assertThat(region.get(new Get(Bytes.toBytes(writer + "-" + row))).value())
            .isEqualTo(Bytes.toBytes(rounds));
      }
    }
    region.flush(true);
    assertThat(region.getMemStoreDataSize()).isZero();
  }

  /** A reader that has seen which segments there are reads them, or what a merge made of them. */
  @Test
  void aMergeBetweenTwoStepsOfAReaderDoesNotFailIt() throws Exception {
    int flushBytes = 1 << 20;
    byte[] value = new byte[20_000];
    HRegion region = open("between", true, true, family(1), flushBytes);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    int merges = 0;
    int sinceFlush = 0;
    for (int i = 0; i < 1_000; i++) {
      List<Segment> seen = memstore.getSegments();
      int cells = cells(seen);
      region.put(new Put(Bytes.toBytes(i % 10), i + 1).addColumn(FAMILY, FAMILY, value));
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      merges += cells(memstore.getSegments()) < cells ? 1 : 0;
      List<KeyValueScanner> scanners = memstore.scanners(seen, Long.MAX_VALUE);
      Set<Integer> rows = new HashSet<>();
      for (KeyValueScanner scanner : scanners) {
        for (Cell cell = scanner.next(); cell != null; cell = scanner.next()) {
          rows.add(Bytes.toInt(CellUtil.cloneRow(cell)));
        }
        scanner.close();
      }
      assertThat(rows).hasSizeGreaterThanOrEqualTo(Math.min(sinceFlush++, 10));
      if (region.getMemStoreHeapSize() > flushBytes) {
        region.flush(true);
        sinceFlush = 0;
      }
    }
    assertThat(merges).isPositive();
  }

  /** Has whoever merges data stop behind the first cells, as a flush to disk would. */
  public static final class Stopping implements RegionCoprocessor, RegionObserver {
    private static final AtomicInteger STOPPED = new AtomicInteger();

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public InternalScanner preMemStoreCompactionCompact(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        InternalScanner scanner) {
      AutoMemStore memstore = (AutoMemStore) ((HStore) store).memstore;
      return new InternalScanner() {
        @Override
        public boolean next(List<Cell> cells, ScannerContext limits) throws IOException {
          boolean hasMore = scanner.next(cells, limits);
          STOPPED.incrementAndGet();
          memstore.compactor.stop();
          return hasMore;
        }

        @Override
        public void close() throws IOException {
          scanner.close();
        }
      };
    }
  }

  /** What it has made until then is not all that was there. */
  @Test
  void aMergeThatIsCutShortChangesNothing() throws Exception {
    int flushBytes = 1 << 20;
    byte[] value = new byte[20_000];
    HRegion region = open("cut", true, true, family(1), flushBytes);
    Configuration hooks = new Configuration(region.getBaseConf());
    hooks.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, Stopping.class.getName());
    region.setCoprocessorHost(new RegionCoprocessorHost(region, null, hooks));
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    int before = Stopping.STOPPED.get();
    for (int i = 0; i < 1_000; i++) {
      region.put(new Put(Bytes.toBytes(i % 10), i + 1).addColumn(FAMILY, FAMILY, value));
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      assertThat(cells(region, 1)).as("after %d", i).hasSize(Math.min(i + 1, 10));
      if (region.getMemStoreHeapSize() > flushBytes) {
        region.flush(true);
      }
    }
    assertThat(Stopping.STOPPED.get()).isGreaterThan(before);
  }

  /** Has all versions written by flushes, as HBase's example ZooKeeperScanPolicyObserver may. */
  public static class KeepingAtFlush implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preFlushScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        ScanOptions options,
        FlushLifeCycleTracker tracker) {
      options.readAllVersions();
    }
  }

  /** The same by the flush's scanner. */
  public static final class ScanningAtFlush implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public InternalScanner preFlush(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        InternalScanner scanner,
        FlushLifeCycleTracker tracker)
        throws IOException {
      scanner.close();
      HStore flushed = (HStore) store;
      return new StoreScanner(
          flushed,
          allVersions(flushed),
          flushed.memstore.getScanners(Long.MAX_VALUE),
          ScanType.COMPACT_RETAIN_DELETES,
          Long.MAX_VALUE,
          0);
    }

    private static ScanInfo allVersions(HStore store) {
      return store
          .getScanInfo()
          .customize(Integer.MAX_VALUE, Long.MAX_VALUE, KeepDeletedCells.FALSE, 0, 0);
    }
  }

  /** Has all versions kept in memory, too. */
  public static final class KeepingAlways extends KeepingAtFlush {
    static final AtomicInteger MERGES = new AtomicInteger();

    @Override
    public void preMemStoreCompactionCompactScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options) {
      MERGES.incrementAndGet();
      options.readAllVersions();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {KeepingAtFlush.class, ScanningAtFlush.class, KeepingAlways.class})
  void whatACoprocessorKeepsAtFlushesNoMergeDrops(Class<?> observer) throws Exception {
    int flushBytes = 1 << 20;
    byte[] value = new byte[20_000];
    HRegion region = open(observer.getSimpleName(), true, true, family(1), flushBytes);
    Configuration hooks = new Configuration(region.getBaseConf());
    hooks.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, observer.getName());
    region.setCoprocessorHost(new RegionCoprocessorHost(region, null, hooks));
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    int merges = KeepingAlways.MERGES.get();
    int puts = 500;
    for (int i = 0; i < puts; i++) {
      region.put(new Put(Bytes.toBytes(i % 10), i + 1).addColumn(FAMILY, FAMILY, value));
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      if (region.getMemStoreHeapSize() > flushBytes) {
        region.flush(true);
      }
    }
    region.flush(true);
    int kept = 0;
    for (HStoreFile file : region.getStore(FAMILY).getStorefiles()) {
      kept += (int) file.getReader().getEntries();
    }
    assertThat(kept).isEqualTo(puts);
    if (observer == KeepingAlways.class) {
      assertThat(KeepingAlways.MERGES.get()).isGreaterThan(merges);
    }
  }

  private static int cells(List<Segment> segments) {
    return segments.stream().mapToInt(Segment::getCellsCount).sum();
  }

  /**
   * What a segment knows of itself when it leaves, whether it has tags and its oldest edit, would
   * not be true of what came later.
   */
  @Test
  void aLateWriterDoesNotAddToASegmentThatHasLeft() throws Exception {
    HRegion region = open("late", true, false, family(1), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    // A compaction in memory would close the segment to writers.
    memstore.allowCompaction.set(false);
    MutableSegment first = memstore.getActive();
    byte[] value = new byte[20_000];
    for (int i = 0; i < 10; i++) {
      region.put(new Put(Bytes.toBytes(i), 1).addColumn(FAMILY, FAMILY, value));
    }
    assertThat(memstore.getActive()).isNotSameAs(first);
    Cell late = new KeyValue(FAMILY, FAMILY, FAMILY, 1L, FAMILY);
    assertThat(memstore.preUpdate(first, late, new NonThreadSafeMemStoreSizing())).isFalse();
  }

  /** As that of a secondary replica, or of a server that is aborted. */
  @Test
  void aStoreThatClosesWithoutAFlushGivesItsChunksBack() throws Exception {
    HRegion region = open("unflushed", true, true, family(1), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    byte[] value = new byte[100];
    for (int i = 0; i < 1_000; i++) {
      region.put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, value));
    }
    List<Integer> chunks = new ArrayList<>();
    for (Segment segment : memstore.getImmutableSegments().getStoreSegments()) {
      for (Cell cell : segment.getCellSet()) {
        chunks.add(((ExtendedCell) cell).getChunkId());
      }
    }
    ChunkCreator creator = ChunkCreator.getInstance();
    assertThat(chunks).isNotEmpty().allMatch(id -> creator.getChunk(id) != null);
    memstore.close();
    assertThat(chunks).allMatch(id -> creator.getChunk(id) == null);
    regions.remove(region);
  }

  /** A flush that ends closes what a step in memory is about to read. */
  @Test
  void whatCannotBeReadAsAWholeIsNotHeld() throws Exception {
    HRegion region = open("half-closed", true, true, family(1), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    memstore.allowCompaction.set(false);
    for (int i = 0; i < 40; i++) {
      region.put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, new byte[20_000]));
    }
    List<ImmutableSegment> segments = memstore.getImmutableSegments().getStoreSegments();
    assertThat(segments).hasSizeGreaterThan(1);
    ImmutableSegment newest = segments.get(0);
    List<Integer> chunks = new ArrayList<>();
    for (Cell cell : newest.getCellSet()) {
      chunks.add(((ExtendedCell) cell).getChunkId());
    }
    segments.get(segments.size() - 1).close();
    assertThatThrownBy(() -> AutoMemStore.scannersOf(segments))
        .isInstanceOf(IllegalReferenceCountException.class);
    newest.close();
    ChunkCreator creator = ChunkCreator.getInstance();
    assertThat(chunks).isNotEmpty().allMatch(id -> creator.getChunk(id) == null);
    regions.remove(region);
  }

  /**
   * All cells have expired, and HBase does not flush a region whose memstore has no cell: its log
   * would be kept for ever.
   */
  @Test
  void aMergeThatLeavesNothingKeepsACell() throws Exception {
    ChunkCreator creator = ChunkCreator.getInstance();
    int before = creator.numberOfMappedChunks();
    byte[] value = new byte[20_000];
    HRegion region = open(WITH_WAL, true, true, family(1).setTimeToLive(60), 1 << 20);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    long heap = region.getMemStoreHeapSize();
    int cells = 0;
    for (int i = 0; i < 1_000 && (i < 10 || cells > 1); i++) {
      region.put(new Put(Bytes.toBytes(i % 10), i + 1).addColumn(FAMILY, FAMILY, value));
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      cells = cells(memstore.getSegments());
    }
    assertThat(cells).isOne();
    assertThat(region.getMemStoreDataSize()).isPositive();
    region.flush(true);
    byte[] name = region.getRegionInfo().getEncodedNameAsBytes();
    assertThat(region.getWAL().getEarliestMemStoreSeqNum(name, FAMILY))
        .isEqualTo(HConstants.NO_SEQNUM);
    assertThat(region.getMemStoreDataSize()).isZero();
    assertThat(region.getMemStoreHeapSize()).isEqualTo(heap);
    region.close();
    regions.remove(region);
    assertThat(creator.numberOfMappedChunks()).isEqualTo(before);
  }

  /** One that fails while a flush is committed would abort the region server. */
  @Test
  void aPolicyThatFailsFailsNeitherFlushNorWrite() throws Exception {
    HRegion region = open("fails", true, false, family(1), 1 << 20);
    AtomicBoolean fails = new AtomicBoolean();
    AutoMemStore memstore =
        new AutoMemStore(
            region.getBaseConf(),
            CellComparator.getInstance(),
            region.getStore(FAMILY),
            region.getRegionServicesForStores(),
            () -> {
              if (fails.get()) {
                throw new IllegalStateException("no time");
              }
              return System.nanoTime();
            });
    Cell cell = new KeyValue(FAMILY, FAMILY, FAMILY, 1L, FAMILY);
    memstore.add(cell, new NonThreadSafeMemStoreSizing());
    fails.set(true);
    MemStoreSnapshot snapshot = memstore.snapshot();
    assertThat(snapshot.getCellsCount()).isEqualTo(1);
    snapshot.getScanners().forEach(KeyValueScanner::close);
    memstore.clearSnapshot(snapshot.getId());
    memstore.add(cell, new NonThreadSafeMemStoreSizing());
    assertThat(memstore.getScanners(Long.MAX_VALUE)).hasSize(1);
    assertThat(memstore.size().getCellsCount()).isEqualTo(1);
  }

  /** As with {@code hbase.regionserver.inmemory.compaction.pool.size} 0. */
  @Test
  void wherePoolsTakeNothingWritesGoOn() throws Exception {
    HRegion region = open("pool", true, false, family(1), 1 << 20);
    HStore store = region.getStore(FAMILY);
    RegionServicesForStores services =
        new RegionServicesForStores(region, null) {
          @Override
          ThreadPoolExecutor getInMemoryCompactionPool() {
            throw new IllegalArgumentException("no threads");
          }
        };
    AutoMemStore memstore =
        new AutoMemStore(
            region.getBaseConf(), CellComparator.getInstance(), store, services, System::nanoTime);
    byte[] value = new byte[20_000];
    for (int i = 0; i < 200; i++) {
      byte[] row = Bytes.toBytes(i);
      memstore.add(new KeyValue(row, FAMILY, FAMILY, 1L, value), new NonThreadSafeMemStoreSizing());
    }
    assertThat(memstore.getSegments()).hasSizeGreaterThan(2);
    assertThat(memstore.isMemStoreFlushingInMemory()).isFalse();
    assertThat(memstore.snapshot().getCellsCount()).isEqualTo(200);
  }

  @Test
  void mergesOfDataHoldNoMoreThanTheyMay() {
    PolicyMemStoreCompactor.Copies copies = new PolicyMemStoreCompactor.Copies();
    assertThat(copies.begin(100, 50)).isTrue();
    assertThat(copies.begin(1, 50)).isFalse();
    assertThat(copies.begin(50, 150)).isTrue();
    assertThat(copies.begin(1, 150)).isFalse();
    copies.end(100);
    assertThat(copies.begin(100, 150)).isTrue();
    copies.end(100);
    copies.end(50);
    assertThat(copies.begin(1_000, 0)).isTrue();
  }

  /**
   * Rows that are written again and again leave the memory once, not each time.
   *
   * @param filled flushes of rows that are written once, before
   */
  @ParameterizedTest
  @CsvSource({"0", "3"})
  void whatIsOverwrittenMakesRoom(int filled) throws Exception {
    int flushBytes = 2 << 20;
    byte[] value = new byte[20_000];
    HRegion region = open("again" + filled, true, false, family(1), flushBytes);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    for (int i = 0; i < filled * flushBytes / value.length; i++) {
      region.put(new Put(Bytes.toBytes("once" + i)).addColumn(FAMILY, FAMILY, value));
      if (region.getMemStoreHeapSize() > flushBytes) {
        region.flush(true);
      }
    }
    region.flush(true);
    long written = 0;
    int flushes = 0;
    for (int i = 0; i < 4_000; i++) {
      region.put(new Put(Bytes.toBytes(i % 20), i + 1).addColumn(FAMILY, FAMILY, value));
      written += value.length;
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      if (region.getMemStoreHeapSize() > flushBytes) {
        region.flush(true);
        flushes++;
      }
    }
    // Where nothing is compacted each of them holds so many bytes.
    assertThat(flushes).isLessThan((int) (written / flushBytes / 4));
  }

  /** A table that was filled, of which flushes learned that merging brings nothing, is changed. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void changesOfAFilledTableStayInMemory(boolean areRead) throws Exception {
    int flushBytes = 2 << 20;
    byte[] value = new byte[2_000];
    HRegion region = open("filled" + areRead, true, false, family(1), flushBytes);
    AutoMemStore memstore = (AutoMemStore) region.getStore(FAMILY).memstore;
    int rows = 0;
    for (int flushes = 0; flushes < 3; flushes++) {
      while (region.getMemStoreHeapSize() <= flushBytes) {
        byte[] row = Bytes.toBytes(rows++);
        region.put(new Put(row).addColumn(FAMILY, FAMILY, value));
        region.get(new Get(row));
      }
      region.flush(true);
    }
    for (int i = 0; i < 4 * flushBytes / value.length; i++) {
      byte[] row = Bytes.toBytes(random.nextInt(rows / 10));
      region.put(new Put(row).addColumn(FAMILY, FAMILY, value));
      if (areRead) {
        region.get(new Get(row));
      }
      while (memstore.isMemStoreFlushingInMemory()) {
        Thread.onSpinWait();
      }
      assertThat(region.getMemStoreHeapSize()).isLessThanOrEqualTo(flushBytes);
    }
  }
}
