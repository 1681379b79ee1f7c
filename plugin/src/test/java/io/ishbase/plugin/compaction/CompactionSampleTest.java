package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.TimeRangeTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.BloomContext;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.BloomFilterWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.RowBloomContext;
import org.apache.hadoop.hbase.util.RowColBloomContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What HBase's own compactor writes, as it is and with one cell changed. */
class CompactionSampleTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long TTL_SECONDS = 600;
  private static final int ROWS = 16;
  private static final int NAMED_ROWS = 8;

  @TempDir private Path directory;
  private final Configuration conf = HBaseConfiguration.create();
  private final Random random = new Random(Seed.get());
  private final long now = System.currentTimeMillis();
  private HRegion region;

  private void open(Consumer<ColumnFamilyDescriptorBuilder> settings) throws IOException {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
    settings.accept(family);
    region = OneFamily.region(conf, directory, family.build());
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  private HStore store() {
    return region.getStore(FAMILY);
  }

  @Test
  void whatHBaseWritesIsRightAndAnyOtherCellIsNoticed() throws IOException {
    KeepDeletedCells kept = KeepDeletedCells.values()[random.nextInt(3)];
    open(
        family ->
            family
                .setMaxVersions(1 + random.nextInt(3))
                .setMinVersions(0)
                .setTimeToLive((int) TTL_SECONDS)
                .setKeepDeletedCells(kept));
    int changed = 0;
    for (int round = 0; round < 60; round++) {
      for (int file = 0; file < 3; file++) {
        writeFile();
      }
      List<HStoreFile> files = new ArrayList<>(store().getStorefiles());
      boolean all = random.nextBoolean();
      if (!all) {
        files = files.subList(0, 1 + random.nextInt(files.size()));
      }
      CompactionRequestImpl compaction = new CompactionRequestImpl(files);
      compaction.setIsMajor(all, all);
      List<Cell> written = compactAsHBase(compaction);
      check(compaction, written);
      int named = 0;
      while (named < written.size()
          && Bytes.compareTo(CellUtil.cloneRow(written.get(named)), row(NAMED_ROWS)) < 0) {
        named++;
      }
      for (int change = 0; change < 5 && named > 0; change++) {
        List<Cell> wrong = withOneChanged(written, random.nextInt(named));
        OffloadException refusal =
            catchThrowableOfType(OffloadException.class, () -> check(compaction, wrong));
        assertThat(refusal).as("%s instead of %s", wrong, written).isNotNull();
        assertThat(refusal.reason()).isEqualTo(LocalReason.WRONG_CELLS);
        changed++;
      }
      if (store().getStorefilesCount() > 8) {
        region.compact(true);
      }
    }
    assertThat(changed).isGreaterThan(100);
  }

  /** Cells that expire long before or after the test. */
  private void writeFile() throws IOException {
    for (int i = 0; i < 20; i++) {
      int number = random.nextInt(ROWS);
      byte[] row = row(number);
      // Of columns without a name, and of a family's markers, HBase may keep one thing or another.
      boolean isNamed = number < NAMED_ROWS;
      byte[] qualifier =
          !isNamed && random.nextBoolean() ? new byte[0] : Bytes.toBytes(random.nextInt(3));
      long age = random.nextInt(8) == 0 ? 2 * TTL_SECONDS * 1000 : TTL_SECONDS * 500;
      long time = now - age + random.nextInt(6);
      switch (random.nextInt(isNamed ? 2 : 0, 8)) {
        case 0 -> region.delete(new Delete(row, time));
        case 1 -> region.delete(new Delete(row).addFamilyVersion(FAMILY, time));
        case 2 -> region.delete(new Delete(row).addColumns(FAMILY, qualifier, time));
        case 3 -> region.delete(new Delete(row).addColumn(FAMILY, qualifier, time));
        default -> {
          Put put = new Put(row).addColumn(FAMILY, qualifier, time, row(random.nextInt(100)));
          if (random.nextInt(4) == 0) {
            put.setTTL(random.nextBoolean() ? 1 : 86_400_000);
          }
          region.put(put);
        }
      }
    }
    region.flush(true);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format(Locale.ROOT, "row%05d", number));
  }

  private List<Cell> withOneChanged(List<Cell> cells, int at) {
    List<Cell> wrong = new ArrayList<>(cells);
    Cell cell = cells.get(at);
    switch (random.nextInt(4)) {
      case 0 -> wrong.remove(at);
      case 1 -> wrong.add(at, cell);
      case 2 -> wrong.set(at, with(cell, "another", List.of()));
      default ->
          wrong.set(
              at,
              with(
                  cell,
                  Bytes.toString(CellUtil.cloneValue(cell)),
                  List.of(new ArrayBackedTag((byte) 99, "tag"))));
    }
    return wrong;
  }

  private static KeyValue with(Cell cell, String value, List<Tag> tags) {
    KeyValue changed =
        new KeyValue(
            CellUtil.cloneRow(cell),
            CellUtil.cloneFamily(cell),
            CellUtil.cloneQualifier(cell),
            cell.getTimestamp(),
            KeyValue.Type.codeToType(cell.getTypeByte()),
            Bytes.toBytes(value),
            tags);
    changed.setSequenceId(cell.getSequenceId());
    return changed;
  }

  private List<Cell> compactAsHBase(CompactionRequestImpl compaction) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (org.apache.hadoop.fs.Path file :
        new DefaultCompactor(conf, store())
            .compact(compaction, NoLimitThroughputController.INSTANCE, User.getCurrent())) {
      try (HFile.Reader reader = reader(file)) {
        HFileScanner scanner = reader.getScanner(conf, false, true);
        if (scanner.seekTo()) {
          do {
            cells.add(KeyValueUtil.copyToNewKeyValue(scanner.getCell()));
          } while (scanner.next());
        }
      }
      region.getFilesystem().delete(file, false);
    }
    return cells;
  }

  private HFile.Reader reader(org.apache.hadoop.fs.Path file) throws IOException {
    return HFile.createReader(region.getFilesystem(), file, CacheConfig.DISABLED, true, conf);
  }

  private void check(CompactionRequestImpl compaction, List<Cell> written) throws IOException {
    check(compaction, written, writer -> {});
  }

  /** What a new file says beside its cells. */
  private interface Metadata {
    void add(HFile.Writer writer) throws IOException;
  }

  private void check(CompactionRequestImpl compaction, List<Cell> written, Metadata metadata)
      throws IOException {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(region.getRegionFileSystem().getTempDir(), "a".repeat(32));
    try (HFile.Writer writer =
        HFile.getWriterFactoryNoCache(conf)
            .withPath(region.getFilesystem(), file)
            .withFileContext(
                new HFileContextBuilder()
                    .withIncludesTags(true)
                    .withIncludesMvcc(true)
                    .withBlockSize(512)
                    .build())
            .create()) {
      for (Cell cell : written) {
        writer.append(cell);
      }
      metadata.add(writer);
    }
    try (HFile.Reader reader = reader(file)) {
      CompactionSample.check(
          store(),
          CompactRequest.newBuilder()
              .setMajor(compaction.isMajor())
              .setAllFiles(compaction.isAllFiles())
              .setReadPoint(store().getSmallestReadPoint())
              .setNow(now)
              .buildPartial(),
          compaction.getFiles(),
          CompactionInput.of(compaction, store().getComparator()),
          List.of(reader));
    } finally {
      region.getFilesystem().delete(file, false);
    }
  }

  @Test
  void rowsInWhichSomethingExpiresNowAreNotJudged() throws IOException {
    open(family -> family.setTimeToLive((int) TTL_SECONDS));
    for (int row = 0; row < 2; row++) {
      // It leaves while the test runs, or in half of the time.
      long age = row == 0 ? TTL_SECONDS * 1000 - 10_000 : TTL_SECONDS * 500;
      region.put(new Put(row(row)).addColumn(FAMILY, FAMILY, now - age, row(row)));
      region.put(new Put(row(row)).addColumn(FAMILY, row(1), now, row(row)));
    }
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> written = compactAsHBase(compaction);
    int last = written.size() - 1;
    check(compaction, written.subList(1, last + 1));
    assertThat(
            catchThrowableOfType(
                OffloadException.class, () -> check(compaction, written.subList(0, last))))
        .isNotNull();
  }

  /** HBase leaves out a file of which all has expired, whatever its rules would keep of it. */
  @Test
  void aFileOfWhichAllHasExpiredIsNotJudgedByNewVersionBehavior() throws IOException {
    open(family -> family.setNewVersionBehavior(true).setTimeToLive((int) TTL_SECONDS));
    region.put(new Put(row(0)).addColumn(FAMILY, FAMILY, now, row(0)));
    region.flush(true);
    long expired = now - 2 * TTL_SECONDS * 1000;
    region.put(new Put(row(1)).addColumn(FAMILY, FAMILY, expired, row(1)));
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> written = compactAsHBase(compaction);
    assertThat(written).hasSize(1);
    check(compaction, written);
    assertThat(catchThrowableOfType(OffloadException.class, () -> check(compaction, List.of())))
        .isNotNull();
  }

  /** HBase's heap would go for ever to a put that has no place behind its marker. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anExpiredMarkerBesideItsPutInAColumnWithoutANameIsPassed() throws IOException {
    open(family -> family.setTimeToLive((int) TTL_SECONDS));
    region.put(new Put(row(0)).addColumn(FAMILY, FAMILY, now, row(0)));
    region.flush(true);
    long expired = now - 2 * TTL_SECONDS * 1000;
    EnvironmentEdgeManager.injectEdge(() -> expired);
    try {
      byte[] noName = new byte[0];
      region.put(new Put(row(1)).addColumn(FAMILY, noName, expired, row(1)));
      region.flush(true);
      region.delete(new Delete(row(1)).addColumn(FAMILY, noName, expired));
      region.flush(true);
    } finally {
      EnvironmentEdgeManager.reset();
    }
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    compaction.setIsMajor(true, true);
    List<Cell> written = compactAsHBase(compaction);
    assertThat(written).hasSize(1);
    check(compaction, written);
  }

  @Test
  void aTableDoesNotSayHowFarClocksMayDiffer() throws IOException {
    open(
        family ->
            family
                .setTimeToLive((int) TTL_SECONDS)
                .setConfiguration("hbase.master.maxclockskew", "-3600000"));
    check(whatExpiredBeforeTheWorkerBegan(), List.of());
  }

  @Test
  void aClockThatIsSetBackIsNoFaultOfTheWorker() throws IOException {
    open(family -> family.setTimeToLive((int) TTL_SECONDS));
    CompactionRequestImpl compaction = whatExpiredBeforeTheWorkerBegan();
    EnvironmentEdgeManager.injectEdge(() -> now - 120_000);
    try {
      check(compaction, List.of());
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  private CompactionRequestImpl whatExpiredBeforeTheWorkerBegan() throws IOException {
    long time = now - TTL_SECONDS * 1000 + 5_000;
    region.put(new Put(row(0)).addColumn(FAMILY, FAMILY, time, row(0)));
    region.flush(true);
    return new CompactionRequestImpl(store().getStorefiles());
  }

  /** Unless it is told to keep them for a while, HBase drops them however young they are. */
  @Test
  void markersAreJudgedAsSoonAsTheyAreWritten() throws IOException {
    open(family -> {});
    region.delete(new Delete(FAMILY));
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    assertThat(catchThrowableOfType(OffloadException.class, () -> check(compaction, List.of())))
        .isNotNull();
    compaction.setIsMajor(true, true);
    check(compaction, List.of());
  }

  @Test
  void ofLargeCompactionsAnyPartMayBeCompared() throws IOException {
    int rows = 6000;
    open(family -> family.setValue(Setting.COMPACTION_VERIFY_SHARE.key(), "5"));
    for (int row = 0; row < rows; row++) {
      region.put(new Put(row(row)).addColumn(FAMILY, FAMILY, new byte[50]));
    }
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> written = compactAsHBase(compaction);
    long before = CompactionMetrics.get().verifiedBytes();
    check(compaction, written);
    assertThat(CompactionMetrics.get().verifiedBytes() - before)
        .isBetween(1L, CompactionInput.of(compaction, store().getComparator()).bytes() / 4);
    for (int at : new int[] {0, rows / 3, rows - 1}) {
      List<Cell> wrong = new ArrayList<>(written);
      wrong.remove(at);
      assertThat(found(500, compaction, wrong)).as("row %d", at).isPositive();
    }
  }

  /** A file's index has shorter keys than its blocks begin with, and the part may begin between. */
  @Test
  void aPartThatBeginsBetweenTwoBlocksIsRight() throws IOException {
    open(family -> family.setValue(Setting.COMPACTION_VERIFY_SHARE.key(), "5"));
    for (int row = 0; row < 200; row++) {
      byte[] key = Bytes.toBytes(String.format("%016x", random.nextLong()));
      region.put(new Put(key).addColumn(FAMILY, FAMILY, new byte[10_000]));
    }
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> written = compactAsHBase(compaction);
    for (int i = 0; i < 500; i++) {
      check(compaction, written);
    }
  }

  /** Between 9 and a lie as many bytes as no key has, behind which parts would begin at a. */
  @Test
  void ofHexadecimalRowsEachIsAsLikely() throws IOException {
    int rows = 6000;
    open(family -> family.setValue(Setting.COMPACTION_VERIFY_SHARE.key(), "5"));
    for (int row = 0; row < rows; row++) {
      byte[] key = Bytes.toBytes(String.format("%08x", row * ((1L << 32) / rows)));
      region.put(new Put(key).addColumn(FAMILY, FAMILY, new byte[50]));
    }
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> wrong = new ArrayList<>(compactAsHBase(compaction));
    wrong.remove(rows / 3);
    // A fifth of four fifths of the tries: 64.
    assertThat(found(400, compaction, wrong)).isBetween(24, 110);
  }

  private int found(int tries, CompactionRequestImpl compaction, List<Cell> wrong)
      throws IOException {
    int found = 0;
    for (int i = 0; i < tries; i++) {
      try {
        check(compaction, wrong);
      } catch (OffloadException e) {
        found++;
      }
    }
    return found;
  }

  /** HBase would leave such a file out of reads, or drop a marker that hides one of its puts. */
  @Test
  void aFileThatDeniesItsOwnCellsIsNotTaken() throws IOException {
    open(family -> family.setMaxVersions(2));
    for (int row = 0; row < 10; row++) {
      region.put(new Put(row(row)).addColumn(FAMILY, FAMILY, 100 + row, row(row)));
      region.put(new Put(row(row)).addColumn(FAMILY, row(1), 100 + row, row(row)));
      region.delete(new Delete(row(row), 50));
    }
    region.flush(true);
    CompactionRequestImpl compaction = new CompactionRequestImpl(store().getStorefiles());
    List<Cell> cells = compactAsHBase(compaction);
    List<Cell> but = cells.stream().filter(cell -> !CellUtil.matchingRows(cell, row(5))).toList();
    List<Cell> butAColumn =
        cells.stream()
            .filter(cell -> but.contains(cell) || CellUtil.matchingQualifier(cell, FAMILY))
            .toList();
    check(compaction, cells, timeRange(0, 109));
    assertDenied(compaction, cells, timeRange(0, 108), "range of times");
    assertDenied(compaction, cells, timeRange(51, 109), "range of times");
    check(compaction, cells, earliestPut(100));
    assertDenied(compaction, cells, earliestPut(101), "earliest put");
    check(compaction, cells, deletedFamilies(cells));
    assertDenied(compaction, cells, deletedFamilies(but), "filter of deleted families");
    for (BloomType type : List.of(BloomType.ROW, BloomType.ROWCOL)) {
      check(compaction, cells, bloom(type, cells));
      assertDenied(compaction, cells, bloom(type, but), "Bloom filter");
    }
    check(compaction, cells, bloom(BloomType.ROW, butAColumn));
    assertDenied(compaction, cells, bloom(BloomType.ROWCOL, butAColumn), "Bloom filter");
  }

  private void assertDenied(
      CompactionRequestImpl compaction, List<Cell> cells, Metadata metadata, String what) {
    assertThatThrownBy(() -> check(compaction, cells, metadata))
        .isInstanceOf(OffloadException.class)
        .hasMessageContaining(what)
        .extracting(e -> ((OffloadException) e).reason())
        .isEqualTo(LocalReason.WRONG_CELLS);
  }

  private static Metadata timeRange(long from, long to) {
    TimeRangeTracker range = TimeRangeTracker.create(TimeRangeTracker.Type.NON_SYNC);
    range.includeTimestamp(new KeyValue(FAMILY, FAMILY, FAMILY, from, FAMILY));
    range.includeTimestamp(new KeyValue(FAMILY, FAMILY, FAMILY, to, FAMILY));
    return writer ->
        writer.appendFileInfo(HStoreFile.TIMERANGE_KEY, TimeRangeTracker.toByteArray(range));
  }

  private static Metadata earliestPut(long time) {
    return writer -> writer.appendFileInfo(HStoreFile.EARLIEST_PUT_TS, Bytes.toBytes(time));
  }

  private Metadata deletedFamilies(List<Cell> cells) {
    return writer -> {
      BloomFilterWriter filter =
          BloomFilterFactory.createDeleteBloomAtWrite(
              conf, new CacheConfig(conf), cells.size(), writer);
      BloomContext context = new RowBloomContext(filter, CellComparator.getInstance());
      long count = 0;
      for (Cell cell : cells) {
        if (cell.getType() == Cell.Type.DeleteFamily) {
          context.writeBloom(cell);
          count++;
        }
      }
      filter.compactBloom();
      writer.addDeleteFamilyBloomFilter(filter);
      writer.appendFileInfo(HStoreFile.DELETE_FAMILY_COUNT, Bytes.toBytes(count));
    };
  }

  private Metadata bloom(BloomType type, List<Cell> cells) {
    return writer -> {
      BloomFilterWriter filter =
          BloomFilterFactory.createGeneralBloomAtWrite(
              conf, new CacheConfig(conf), type, cells.size(), writer);
      BloomContext context =
          type == BloomType.ROW
              ? new RowBloomContext(filter, CellComparator.getInstance())
              : new RowColBloomContext(filter, CellComparator.getInstance());
      for (Cell cell : cells) {
        context.writeBloom(cell);
      }
      filter.compactBloom();
      context.addLastBloomKey(writer);
      writer.addGeneralBloomFilter(filter);
      writer.appendFileInfo(HStoreFile.BLOOM_FILTER_TYPE_KEY, Bytes.toBytes(type.name()));
    };
  }

  @Test
  void nothingIsComparedWhereThatIsSwitchedOff() throws IOException {
    open(family -> family.setValue(Setting.COMPACTION_VERIFY_SHARE.key(), "0"));
    region.put(new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY));
    region.flush(true);
    long before = CompactionMetrics.get().verifiedBytes();
    check(new CompactionRequestImpl(store().getStorefiles()), List.of());
    assertThat(CompactionMetrics.get().verifiedBytes()).isEqualTo(before);
  }
}
