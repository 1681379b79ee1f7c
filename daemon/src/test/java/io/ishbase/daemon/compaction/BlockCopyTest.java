package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compactions that copy blocks against HBase's compactor, on the same files: cells, file info,
 * Bloom filters, and what the index finds. {@code -Dishbase.seed=} repeats a run, {@code
 * -Dishbase.rounds=} makes it longer.
 */
class BlockCopyTest {
  private static final int STORES = 30;
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long NOW = System.currentTimeMillis();
  private static final int TTL_SECONDS = 100_000;
  private static final List<Compression.Algorithm> CODECS =
      Stream.of(
              Compression.Algorithm.NONE,
              Compression.Algorithm.GZ,
              Compression.Algorithm.ZSTD,
              Compression.Algorithm.SNAPPY)
          .filter(LocalStore::has)
          .toList();

  @TempDir java.nio.file.Path temp;

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(1024);
  }

  private static KeyValue put(int row, String qualifier, long timestamp, int sequenceId) {
    KeyValue cell =
        new KeyValue(
            row(row),
            FAMILY,
            Bytes.toBytes(qualifier),
            timestamp,
            Bytes.toBytes("value " + row + " of " + sequenceId));
    cell.setSequenceId(sequenceId);
    return cell;
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("r%07d", row));
  }

  private static List<KeyValue> rows(int from, int to, int sequenceId) {
    List<KeyValue> cells = new ArrayList<>();
    for (int row = from; row < to; row++) {
      cells.add(put(row, "q", NOW - row, sequenceId));
    }
    return cells;
  }

  private LocalStore store(ColumnFamilyDescriptor family) throws IOException {
    return new LocalStore(Files.createTempDirectory(temp, "store"), family);
  }

  /** Compacts both ways, compares, and says how many blocks were copied. */
  private static long compare(LocalStore store, boolean all, long readPoint, String what)
      throws Exception {
    LocalStore.Output merged = store.compact(false, all, all, readPoint);
    LocalStore.Output copied = store.compact(true, all, all, readPoint);
    assertThat(merged.copiedBlocks()).isZero();
    assertThat(copied.cells()).as(what).isEqualTo(merged.cells());
    assertSame(store, merged.file(), copied.file(), what);
    return copied.copiedBlocks();
  }

  private static void assertSame(LocalStore store, Path expected, Path actual, String what)
      throws Exception {
    // HBase reads a block whose checksums are wrong in spite of it, and counts that.
    HFile.getAndResetChecksumFailuresCount();
    try (HFile.Reader merged =
            HFile.createReader(store.fs(), expected, CacheConfig.DISABLED, true, store.site());
        HFile.Reader copied =
            HFile.createReader(store.fs(), actual, CacheConfig.DISABLED, true, store.site())) {
      List<Cell> cells = cells(merged, store);
      assertThat(texts(cells(copied, store))).as(what).isEqualTo(texts(cells));
      assertThat(info(copied)).as(what).isEqualTo(info(merged));
      assertThat(copied.getEntries()).isEqualTo(merged.getEntries());
      assertThat(copied.getTrailer().getCompressionCodec())
          .isEqualTo(merged.getTrailer().getCompressionCodec());
      assertThat(copied.getTrailer().getTotalUncompressedBytes())
          .as(what)
          .isLessThan(1000 + merged.getTrailer().getTotalUncompressedBytes() * 5 / 4);
      assertFound(copied, cells, store, what);
    }
    assertBlooms(store, expected, actual, what);
    assertThat(
            new HFilePrettyPrinter(store.site())
                .run(new String[] {"-k", "-m", "-f", actual.toString()}))
        .as(what)
        .isZero();
    assertThat(HFile.getChecksumFailuresCount()).as(what).isZero();
  }

  @Test
  void aWrongChecksumIsNotCopied() throws Exception {
    LocalStore store = store(family().setBlocksize(64 << 10).build());
    Path path = store.add(rows(0, 20_000, 1), store.usual());
    try (RandomAccessFile file = new RandomAccessFile(path.toUri().getPath(), "rw")) {
      // The first block says its size without its header behind its type; its sums end it.
      file.seek(Long.BYTES);
      long last = file.readInt() + HConstants.HFILEBLOCK_HEADER_SIZE - 1L;
      file.seek(last);
      int sum = file.read();
      file.seek(last);
      file.write(sum ^ 1);
    }
    assertThat(compare(store, true, 100, "a wrong sum")).isPositive();
  }

  @Test
  void aBlockWithAMarkerIsNotCopied() throws Exception {
    LocalStore store = store(family().setMaxVersions(3).build());
    int deleted = 2_500;
    KeyValue marker =
        new KeyValue(row(deleted), FAMILY, Bytes.toBytes("q"), NOW, KeyValue.Type.DeleteColumn);
    marker.setSequenceId(2);
    List<KeyValue> cells = rows(0, 2 * deleted, 1);
    cells.add(deleted, marker);
    store.add(cells, store.usual());
    assertThat(compare(store, true, 100, "a marker")).isPositive();
  }

  private static List<Cell> cells(HFile.Reader reader, LocalStore store) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (HFileScanner scanner = reader.getScanner(store.site(), false, false)) {
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        cells.add(KeyValueUtil.copyToNewKeyValue(scanner.getCell()));
      }
    }
    return cells;
  }

  private static List<String> texts(List<Cell> cells) {
    return cells.stream()
        .map(
            cell ->
                CellUtil.getCellKeyAsString(cell)
                    + "/"
                    + cell.getSequenceId()
                    + " = "
                    + Bytes.toStringBinary(CellUtil.cloneValue(cell))
                    + Arrays.toString(PrivateCellUtil.cloneTags(cell)))
        .toList();
  }

  private static Map<String, String> info(HFile.Reader reader) {
    Map<String, String> info = new TreeMap<>();
    reader
        .getHFileInfo()
        .forEach((key, value) -> info.put(Bytes.toString(key), Bytes.toStringBinary(value)));
    info.remove("hfile.CREATE_TIME_TS");
    return info;
  }

  /** Every key is found by the index, and from every row the cell before it. */
  private static void assertFound(
      HFile.Reader reader, List<Cell> cells, LocalStore store, String what) throws IOException {
    try (HFileScanner scanner = reader.getScanner(store.site(), false, true)) {
      Cell previous = null;
      for (Cell written : cells) {
        KeyValue cell = KeyValueUtil.copyToNewKeyValue(written);
        // As the keys of an index, which have none.
        cell.setSequenceId(0);
        assertThat(scanner.seekTo(cell)).as(what).isZero();
        if (previous != null && !CellUtil.matchingRows(previous, written)) {
          // As a reversed scan does, block by block.
          Cell row = PrivateCellUtil.createFirstOnRow(CellUtil.cloneRow(written));
          assertThat(scanner.seekBefore(row)).as(what).isTrue();
          assertThat(CellUtil.getCellKeyAsString(scanner.getCell()))
              .as(what)
              .isEqualTo(CellUtil.getCellKeyAsString(previous));
        }
        previous = written;
      }
    }
  }

  private static void assertBlooms(LocalStore store, Path expected, Path actual, String what)
      throws IOException {
    HStoreFile merged = open(store, expected);
    HStoreFile copied = open(store, actual);
    assertThat(copied.getReader().getFilterEntries())
        .as(what)
        .isEqualTo(merged.getReader().getFilterEntries());
    assertThat(copied.getReader().getDeleteFamilyCnt())
        .isEqualTo(merged.getReader().getDeleteFamilyCnt());
    Set<Integer> here = new TreeSet<>();
    try (HFileScanner scanner =
        copied.getReader().getHFileReader().getScanner(store.site(), false, false)) {
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        here.add(
            Integer.parseInt(Bytes.toString(CellUtil.cloneRow(scanner.getCell())).substring(1)));
      }
    }
    for (int row : here) {
      Scan scan = new Scan(new Get(row(row)));
      TreeSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      columns.add(Bytes.toBytes("q"));
      assertThat(IssnStoreFileAccess.passesBloomFilter(copied.getReader(), scan, columns))
          .as(what + row)
          .isEqualTo(IssnStoreFileAccess.passesBloomFilter(merged.getReader(), scan, columns));
    }
    merged.closeStoreFile(true);
    copied.closeStoreFile(true);
  }

  private static HStoreFile open(LocalStore store, Path path) throws IOException {
    HStoreFile file =
        new HStoreFile(
            new StoreFileInfo(store.site(), store.fs(), store.fs().getFileStatus(path), null, null),
            store.family().getBloomFilterType(),
            CacheConfig.DISABLED,
            new BloomFilterMetrics());
    file.initReader();
    return file;
  }

  @Test
  void filesWithoutCommonRowsAreCopied() throws Exception {
    for (DataBlockEncoding encoding : DataBlockEncoding.values()) {
      for (Compression.Algorithm codec : CODECS) {
        LocalStore store =
            store(family().setDataBlockEncoding(encoding).setCompressionType(codec).build());
        for (int file = 0; file < 3; file++) {
          store.add(rows(file * 1000, file * 1000 + 1000, file + 1), store.usual());
        }
        // About 18 cells in a block; the last of each file is merged.
        assertThat(compare(store, true, 100, encoding + " " + codec))
            .as(encoding + " " + codec)
            .isGreaterThan(3 * 1000 / 30);
      }
    }
  }

  @Test
  void rowsBetweenThoseOfAnotherFileAreCopied() throws Exception {
    LocalStore store = store(family().build());
    List<KeyValue> around = rows(0, 1000, 1);
    around.addAll(rows(2000, 3000, 1));
    store.add(around, store.usual());
    store.add(rows(1000, 2000, 2), store.usual());
    assertThat(compare(store, true, 100, "")).isGreaterThan(100);
  }

  @Test
  void mixedRowsAreMerged() throws Exception {
    LocalStore store = store(family().build());
    store.add(rows(0, 1000, 1), store.usual());
    store.add(rows(0, 1000, 2), store.usual());
    assertThat(compare(store, true, 100, "")).isZero();
  }

  @Test
  void aMarkerAtTheBorderHidesWhatFollows() throws Exception {
    for (boolean all : new boolean[] {true, false}) {
      LocalStore store = store(family().build());
      store.add(rows(1000, 2000, 1), store.usual());
      List<KeyValue> before = rows(0, 1000, 2);
      KeyValue marker = new KeyValue(row(1000), FAMILY, null, NOW, KeyValue.Type.DeleteFamily);
      marker.setSequenceId(2);
      before.add(marker);
      store.add(before, store.usual());
      assertThat(compare(store, all, 100, "all " + all)).isPositive();
    }
  }

  @Test
  void manyHiddenCellsOfARowDoNotMakeItTwo() throws Exception {
    // The merge stops within a row once it has read enough, even if it gives no cell.
    LocalStore store = store(family().build());
    store.site().setLong("hbase.hstore.compaction.scanner.size.limit", 4096);
    store.site().setLong("hbase.hstore.compaction.kv.max", 3);
    List<KeyValue> hidden = new ArrayList<>();
    KeyValue marker = new KeyValue(row(0), FAMILY, null, NOW, KeyValue.Type.DeleteFamily);
    marker.setSequenceId(3);
    hidden.add(marker);
    for (int column = 0; column < 1000; column++) {
      hidden.add(put(0, String.format("a%05d", column), NOW - 1, 1));
    }
    store.add(hidden, store.usual());
    List<KeyValue> behind = new ArrayList<>();
    for (int column = 0; column < 1000; column++) {
      behind.add(put(0, String.format("b%05d", column), NOW - 1, 2));
    }
    store.add(behind, store.usual());
    compare(store, true, 100, "");
  }

  @Test
  void versionsTooManyInTheNextBlockGo() throws Exception {
    for (int versions = 1; versions < 40; versions += 13) {
      LocalStore store = store(family().setMaxVersions(versions).build());
      List<KeyValue> cells = rows(0, 1000, 1);
      for (int version = 0; version < 60; version++) {
        cells.add(put(1000, "q", NOW - version, 1));
      }
      cells.addAll(rows(1001, 2000, 1));
      store.add(cells, store.usual());
      assertThat(compare(store, true, 100, "versions " + versions)).isPositive();
    }
  }

  @Test
  void aColumnOfManyBlocksIsCopiedOnce() throws Exception {
    LocalStore store = store(family().setMaxVersions(2000).build());
    List<KeyValue> cells = new ArrayList<>();
    for (int version = 0; version < 1000; version++) {
      cells.add(put(0, "q", NOW - version, 1));
    }
    cells.addAll(rows(1, 100, 1));
    store.add(cells, store.usual());
    store.add(rows(1, 100, 2), store.usual());
    assertThat(compare(store, true, 100, "")).isPositive();
  }

  @Test
  void otherSettingsThanTheFilesHaveAreApplied() throws Exception {
    LocalStore store = store(family().setDataBlockEncoding(DataBlockEncoding.FAST_DIFF).build());
    store.add(rows(0, 1000, 1), store.usual().withDataBlockEncoding(DataBlockEncoding.NONE));
    store.add(rows(1000, 2000, 2), store.usual().withCompression(Compression.Algorithm.GZ));
    store.add(rows(2000, 3000, 3), store.usual().withBytesPerCheckSum(8 << 10));
    store.add(rows(3000, 4000, 4), store.usual().withBlockSize(16 << 10));
    store.add(rows(4000, 5000, 5), store.usual().withIncludesMvcc(false));
    assertThat(compare(store, true, 100, "")).isZero();
    store.add(rows(5000, 6000, 6), store.usual());
    assertThat(compare(store, true, 100, "")).isPositive();
  }

  @Test
  void randomStores() throws Exception {
    long seed = Seed.get();
    int stores = STORES * Integer.getInteger("ishbase.rounds", 1);
    Random random = new Random(seed);
    long copied = 0;
    long without = 0;
    for (int number = 0; number < stores; number++) {
      long own = random.nextLong();
      long blocks = randomStore(new Random(own), number + ", random " + own);
      copied += blocks;
      without += blocks == 0 ? 1 : 0;
    }
    System.out.println(copied + " blocks copied, none in " + without + " of " + stores);
    assertThat(copied).isPositive();
  }

  private long randomStore(Random random, String what) throws Exception {
    DataBlockEncoding[] encodings = DataBlockEncoding.values();
    BloomType[] blooms = {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL};
    KeepDeletedCells[] keeps = KeepDeletedCells.values();
    ColumnFamilyDescriptorBuilder family =
        family()
            .setBlocksize(256 << random.nextInt(4))
            .setMaxVersions(1 + random.nextInt(3))
            .setMinVersions(random.nextInt(2))
            .setDataBlockEncoding(encodings[random.nextInt(encodings.length)])
            .setCompressionType(CODECS.get(random.nextInt(CODECS.size())))
            .setCompressTags(random.nextBoolean())
            .setBloomFilterType(blooms[random.nextInt(blooms.length)])
            .setTimeToLive(random.nextBoolean() ? TTL_SECONDS : Integer.MAX_VALUE)
            .setKeepDeletedCells(keeps[random.nextInt(keeps.length)]);
    LocalStore store = store(family.build());
    // Small index blocks make an index of several levels.
    store.site().setInt("hfile.index.block.max.size", 128 << random.nextInt(8));
    store.site().setInt("hbase.hstore.compaction.kv.max", 1 + random.nextInt(20));
    store.site().setInt("hbase.hstore.bytes.per.checksum", 64 << random.nextInt(9));
    int files = 1 + random.nextInt(5);
    int rows = 200 + random.nextInt(1500);
    double odd = random.nextBoolean() ? 0 : random.nextDouble() * 0.01;
    boolean tags = random.nextInt(3) == 0;
    int shape = random.nextInt(4);
    for (int file = 0; file < files; file++) {
      TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
      for (int row = from(shape, file, rows, random); row < to(shape, file, rows); ) {
        int columns = random.nextInt(20) == 0 ? random.nextInt(200) : 1 + random.nextInt(3);
        for (int column = 0; column < columns; column++) {
          add(cells, random, row, column, file + 1, odd, tags);
        }
        row += shape == 3 && random.nextInt(200) == 0 ? rows / 4 : 1 + random.nextInt(2);
      }
      HFileContextBuilder context = store.usual();
      boolean tagged = cells.stream().anyMatch(cell -> cell.getTagsLength() > 0);
      context.withIncludesTags(tagged).withIncludesMvcc(random.nextInt(8) > 0);
      Path path =
          random.nextInt(6) == 0
              ? store.load(List.copyOf(cells), context, file + 1)
              : store.add(List.copyOf(cells), context);
      if (random.nextInt(6) == 0) {
        // Of old files a compaction of all writes the sequence ids as 0.
        store.fs().setTimes(path, NOW - TimeUnit.DAYS.toMillis(10), -1);
      }
    }
    long readPoint = random.nextInt(3) == 0 ? random.nextInt(files + 1) : 100;
    return compare(
        store,
        random.nextBoolean(),
        readPoint,
        what + " " + family.build() + ", " + files + " files, shape " + shape + ", odd " + odd);
  }

  /** Shapes: apart, with common rows at the borders, the same rows, with gaps. */
  private static int from(int shape, int file, int rows, Random random) {
    return switch (shape) {
      case 0 -> file * rows;
      case 1 -> file * rows - random.nextInt(50) * Math.min(file, 1);
      default -> random.nextInt(20);
    };
  }

  private static int to(int shape, int file, int rows) {
    return shape < 2 ? (file + 1) * rows : rows;
  }

  private static void add(
      Set<KeyValue> cells,
      Random random,
      int row,
      int column,
      int sequenceId,
      double odd,
      boolean tags) {
    String qualifier = column == 0 ? "q" : String.format("q%03d", column);
    long timestamp = NOW - random.nextInt(1000);
    int copies = random.nextDouble() < odd ? 1 + random.nextInt(6) : 1;
    for (int copy = 0; copy < copies; copy++) {
      if (random.nextDouble() < odd) {
        KeyValue.Type[] markers = {
          KeyValue.Type.Delete,
          KeyValue.Type.DeleteColumn,
          KeyValue.Type.DeleteFamily,
          KeyValue.Type.DeleteFamilyVersion
        };
        KeyValue.Type type = markers[random.nextInt(markers.length)];
        boolean ofFamily =
            type.getCode() >= KeyValue.Type.DeleteFamilyVersion.getCode()
                && type != KeyValue.Type.DeleteColumn;
        KeyValue marker =
            new KeyValue(
                row(row), FAMILY, ofFamily ? null : Bytes.toBytes(qualifier), timestamp, type);
        marker.setSequenceId(sequenceId);
        cells.add(marker);
      }
      if (random.nextDouble() < odd) {
        timestamp = NOW - 1000L * TTL_SECONDS - 5_000_000 - random.nextInt(1000);
      }
      List<Tag> ofCell = new ArrayList<>();
      if (tags && random.nextInt(3) == 0) {
        ofCell.add(new ArrayBackedTag((byte) 77, Bytes.toBytes("tag " + random.nextInt(9))));
        if (random.nextDouble() < odd) {
          // Of some it is over, of others it is not.
          long ttl = random.nextBoolean() ? 1 : 1_000_000_000L;
          ofCell.add(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(ttl)));
        }
      }
      byte[] value = new byte[random.nextInt(100) == 0 ? random.nextInt(3000) : random.nextInt(60)];
      random.nextBytes(value);
      KeyValue cell =
          new KeyValue(
              row(row),
              FAMILY,
              Bytes.toBytes(qualifier),
              timestamp,
              KeyValue.Type.Put,
              value,
              ofCell);
      cell.setSequenceId(sequenceId);
      cells.add(cell);
      timestamp -= random.nextInt(3);
    }
  }
}
