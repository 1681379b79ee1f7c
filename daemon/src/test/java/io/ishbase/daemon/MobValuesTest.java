package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of large objects a storage daemon sends, and what it leaves to the region server. */
class MobValuesTest {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String HFILE = "a".repeat(32);
  private static final String MOB_FILE = "b".repeat(32) + "20240101" + "c".repeat(32) + "_0123ab";
  private static final int VALUE_BYTES = 1000;

  @TempDir private java.nio.file.Path directory;

  private final Configuration conf = HBaseConfiguration.create();
  private Path root;
  private FileSystem fs;
  private CacheConfig cacheConfig;
  private HFileReaders readers;

  @BeforeEach
  void open() throws IOException {
    root = new Path(directory.toUri().getPath());
    fs = new HFileSystem(conf, false);
    cacheConfig = new CacheConfig(conf);
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    readers.close();
  }

  private static KeyValue put(String row, String qualifier, long time) {
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), time, new byte[VALUE_BYTES]);
    cell.setSequenceId(7);
    return cell;
  }

  private static KeyValue marker(String row, String qualifier, long time, KeyValue.Type type) {
    KeyValue cell = new KeyValue(Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), time, type);
    cell.setSequenceId(7);
    return cell;
  }

  private static KeyValue reference(KeyValue cell, String table, String file) throws IOException {
    KeyValue reference =
        KeyValueUtil.copyToNewKeyValue(
            (ExtendedCell)
                MobUtils.createMobRefCell(
                    cell,
                    Bytes.toBytes(file),
                    new ArrayBackedTag(TagType.MOB_TABLE_NAME_TAG_TYPE, table)));
    reference.setSequenceId(cell.getSequenceId());
    return reference;
  }

  private void write(Path path, List<KeyValue> cells) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, cacheConfig, fs)
            .withFilePath(path)
            .withBloomType(BloomType.NONE)
            .withMaxKeyCount(100)
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(256)
                    .withIncludesMvcc(true)
                    .withIncludesTags(true)
                    .build())
            .build();
    List<KeyValue> sorted = new ArrayList<>(cells);
    sorted.sort(CellComparatorImpl.COMPARATOR);
    for (KeyValue cell : sorted) {
      writer.append(cell);
    }
    writer.appendMetadata(100, false);
    writer.close();
  }

  private Path mobDirectory() {
    RegionInfo region = MobUtils.getMobRegionInfo(TABLE);
    return new Path(new Path(MobUtils.getMobTableDir(root, TABLE), region.getEncodedName()), "f");
  }

  private Path archive() {
    return HFileArchiveUtil.getStoreArchivePathForRootDir(
        root, MobUtils.getMobRegionInfo(TABLE), FAMILY);
  }

  private String store() {
    return root.toUri().getPath() + "/data/f";
  }

  private Path other() {
    return new Path(root, "other/f");
  }

  /** Writes the puts into a MOB file, and all with references to it into an HFile. */
  private void write(Path mobFiles, KeyValue... cells) throws IOException {
    List<KeyValue> large = new ArrayList<>();
    List<KeyValue> all = new ArrayList<>();
    for (KeyValue cell : cells) {
      boolean isPut = cell.getTypeByte() == KeyValue.Type.Put.getCode();
      all.add(isPut ? reference(cell, TABLE.getNameAsString(), MOB_FILE) : cell);
      if (isPut) {
        large.add(cell);
      }
    }
    write(new Path(mobFiles, MOB_FILE), large);
    write(new Path(store(), HFILE), all);
  }

  private static ReadRequest.Builder request(Path store) {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(store.toUri().getPath())
        .addFile(HFILE)
        .setReadPoint(100)
        .setMob(MobWish.newBuilder())
        .addRange(RowRange.newBuilder());
  }

  private ReadRequest.Builder request() {
    return request(new Path(store()));
  }

  private ReadResponse ask(ReadRequest.Builder request) throws IOException {
    ReadService service =
        new ReadService(
            readers,
            new Filters(conf),
            new DictionaryTrainer(
                DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
            root,
            new Callers(conf, User.getCurrent()),
            4,
            1 << 20,
            TimeUnit.HOURS.toNanos(1),
            new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
            new DaemonMetrics(() -> 0, () -> 0));
    return service.read(null, Checksums.sealed(request.build()));
  }

  /** Row, column and time of each cell that comes with its value. */
  private static List<String> resolved(ReadResponse response) throws IOException {
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    CellBatch.Decoder decoder = new CellBatch.Decoder(response.getCells().toByteArray());
    List<String> resolved = new ArrayList<>();
    int index = 0;
    KeyValue before = null;
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      if (response.getMobValueList().contains(index)) {
        assertThat(MobUtils.isMobReferenceCell(before)).isTrue();
        assertThat(cell).isEqualTo(before);
        assertThat(cell.getValueLength()).isEqualTo(VALUE_BYTES);
        resolved.add(
            Bytes.toString(CellUtil.cloneRow(cell))
                + Bytes.toString(CellUtil.cloneQualifier(cell))
                + cell.getTimestamp());
      }
      before = cell;
      index++;
    }
    assertThat(index).isEqualTo(response.getCellCount());
    assertThat(resolved).hasSize(response.getMobValueCount());
    return resolved;
  }

  @Test
  void valuesComeBehindReferences() throws IOException {
    write(mobDirectory(), put("a", "x", 1), put("a", "y", 1), put("b", "x", 1));
    assertThat(resolved(ask(request()))).containsExactly("ax1", "ay1", "bx1");
    assertThat(resolved(ask(request().setReversed(true)))).containsExactly("bx1", "ax1", "ay1");
    assertThat(resolved(ask(request().clearMob()))).isEmpty();
  }

  /** What separates a namespace from a table may be in the cells behind. */
  @Test
  void whereOtherCellsHaveColons() throws IOException {
    write(mobDirectory(), put("a", "x", 1), put("b:c", "x:y", 1), put("d", "::", 1));
    assertThat(resolved(ask(request()))).containsExactly("ax1", "b:cx:y1", "d::1");
  }

  @Test
  void andFromTheArchive() throws IOException {
    write(archive(), put("a", "x", 1), put("b", "x", 1));
    assertThat(resolved(ask(request()))).containsExactly("ax1", "bx1");
  }

  @Test
  void olderVersionsAndWhatMarkersHideStay() throws IOException {
    write(
        mobDirectory(),
        put("a", "x", 3),
        put("a", "x", 2),
        put("a", "x", 1),
        marker("b", "", 2, KeyValue.Type.DeleteFamily),
        put("b", "x", 2),
        put("b", "y", 3),
        put("c", "x", 1),
        marker("c", "x", 1, KeyValue.Type.DeleteColumn),
        put("c", "y", 1));
    assertThat(resolved(ask(request()))).containsExactly("ax3", "by3", "cy1");
    assertThat(resolved(ask(request().setMob(MobWish.newBuilder().setVersions(2)))))
        .containsExactly("ax3", "ax2", "by3", "cy1");
  }

  /** Each answer has one value at least, and none comes twice. */
  @ParameterizedTest
  @CsvSource({"1, false", "1500, false", "2500, true", "1, true"})
  void aBudgetEndsBeforeAValue(int maxBytes, boolean reversed) throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int row = 0; row < 9; row++) {
      for (String qualifier : List.of("x", "y")) {
        cells.add(put("r" + row, qualifier, 1));
        int number = reversed ? 8 - row : row;
        expected.add("r" + number + qualifier + 1);
      }
    }
    write(mobDirectory(), cells.toArray(KeyValue[]::new));
    List<String> all = new ArrayList<>();
    Position from = null;
    int answers = 0;
    int blocks = 0;
    do {
      ReadRequest.Builder request = request().setReversed(reversed).setMaxBytes(maxBytes);
      if (from != null) {
        request.setFrom(from);
      }
      ReadResponse response = ask(request);
      assertThat(resolved(response)).isNotEmpty();
      all.addAll(resolved(response));
      from = response.hasNext() ? response.getNext() : null;
      answers++;
      blocks += response.getBlockBytesCount();
    } while (from != null);
    assertThat(all).isEqualTo(expected);
    if (!reversed) {
      // What lies behind an answer's last value counts in the next one alone.
      assertThat(blocks).isLessThan(ask(request()).getBlockBytesCount() + answers);
    }
    assertThat(answers).isEqualTo(maxBytes > 1500 ? 6 : maxBytes > 1 ? 9 : 18);
  }

  @Test
  void theyComePacked() throws IOException {
    write(mobDirectory(), put("a", "x", 1), put("b", "x", 1));
    ReadResponse open = ask(request());
    ReadResponse packed = ask(request().setPack(true));
    assertThat(packed.getCells().size()).isLessThan(VALUE_BYTES);
    assertThat(
            Packing.unpack(
                packed.getCells().toByteArray(),
                packed.getUnpackedBytes(),
                1 << 20,
                new byte[0],
                null))
        .isEqualTo(open.getCells().toByteArray());
    assertThat(packed.getMobValueList()).isEqualTo(open.getMobValueList());
  }

  /** Those stay references: the region server finds out what is wrong with them. */
  @ParameterizedTest
  @CsvSource({
    "t, missing",
    "t, ''",
    "t, ../../../../../../data/f/" + "bbbb",
    "t, ..",
    "t, '.'",
    "other, 0123",
    "../x, 0123",
    "'', 0123",
    "t, 01234567890"
  })
  void whatLeadsNowhereStays(String table, String file) throws IOException {
    KeyValue lost = put("b", "x", 1);
    write(mobDirectory(), put("a", "x", 1), put("c", "x", 1));
    write(
        new Path(other(), HFILE),
        List.of(
            reference(put("a", "x", 1), "t", MOB_FILE),
            reference(lost, table, file),
            reference(put("c", "x", 1), "t", MOB_FILE)));
    assertThat(resolved(ask(request(other())))).containsExactly("ax1", "cx1");
  }

  @Test
  void aCorruptMobFileIsNotTheRequestsFault() throws IOException {
    write(mobDirectory(), put("a", "x", 1));
    Path file = new Path(mobDirectory(), MOB_FILE);
    assertThat(fs.delete(file, false)).isTrue();
    fs.create(file).close();
    ReadResponse response = ask(request());
    assertThat(resolved(response)).isEmpty();
    assertThat(response.getCellCount()).isEqualTo(1);
  }

  /** The cell beside it is another, and what is newer than the read point another reader's. */
  @Test
  void whatIsNotInTheFileStays() throws IOException {
    write(mobDirectory(), put("a", "x", 2), put("b", "x", 1));
    write(
        new Path(other(), HFILE),
        List.of(
            reference(put("a", "x", 1), "t", MOB_FILE),
            reference(put("b", "x", 1), "t", MOB_FILE)));
    ReadRequest.Builder request = request(other());
    assertThat(resolved(ask(request))).containsExactly("bx1");
    KeyValue newer = put("d", "x", 1);
    newer.setSequenceId(200);
    assertThat(fs.delete(new Path(mobDirectory(), MOB_FILE), false)).isTrue();
    readers.drop(new Path(mobDirectory(), MOB_FILE).toUri().getPath());
    write(new Path(mobDirectory(), MOB_FILE), List.of(put("b", "x", 1), newer));
    assertThat(resolved(ask(request))).isEmpty();
  }

  /** Else whoever looks for files that are gone, one for each row, keeps its reader waiting. */
  private MobValues values() {
    return new MobValues(
        request().build(), readers, new MobDirectories(root), new LargeCells(() -> 0).share());
  }

  @Test
  void whatIsLookedForInVainTakesTimeToo() throws IOException {
    CellBatch.Encoder cells = new CellBatch.Encoder(100);
    for (int row = 0; row < 9; row++) {
      cells.add(0, reference(put("r" + row, "x", 1), "t", "0123" + row));
    }
    int[] looks = {0};
    try (MobValues values = values()) {
      assertThat(values.take(cells, 1 << 20, () -> ++looks[0] == 3)).isEqualTo(3);
      assertThat(values.batch().count()).isEqualTo(3);
      assertThat(values.values()).isEmpty();
    }
    try (MobValues values = values()) {
      assertThat(values.take(cells, 1 << 20, () -> true)).as("one in any case").isEqualTo(1);
    }
  }

  @Test
  void notWithAFilterOfRows() throws IOException {
    write(mobDirectory(), put("a", "x", 1));
    assertThat(ask(request().setFilterScope(FilterScope.BY_ROW)).getCode())
        .isEqualTo(Code.BAD_REQUEST);
  }
}
