package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.mob.MobFileName;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hbase.thirdparty.com.google.common.collect.HashMultimap;
import org.apache.hbase.thirdparty.com.google.common.collect.SetMultimap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a region server takes of a worker's MOB files, and what is left when it does not. */
class MobResultTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final TableName TABLE = TableName.valueOf("t");

  @TempDir private java.nio.file.Path directory;
  private final Configuration conf = HBaseConfiguration.create();
  private HRegion region;
  private HMobStore store;
  private FileSystem fs;
  private Path attempt;
  private List<String> flushed;

  @BeforeEach
  void start() throws IOException {
    conf.set("fs.defaultFS", "file:///");
    conf.set("hbase.rootdir", directory.toUri().toString());
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TABLE)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setMobEnabled(true)
                    .setMobThreshold(0)
                    .build())
            .build();
    RegionInfo info = RegionInfoBuilder.newBuilder(TABLE).setStartKey(FAMILY).build();
    region =
        HRegion.createHRegion(
            info,
            CommonFSUtils.getRootDir(conf),
            conf,
            table,
            new WALFactory(conf, "local").getWAL(info));
    region.put(new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY));
    region.flush(true);
    store = (HMobStore) region.getStore(FAMILY);
    fs = store.getFileSystem();
    attempt = new Path(region.getRegionFileSystem().getTempDir(), "attempt");
    flushed = mobFiles();
    assertThat(flushed).hasSize(1);
  }

  @AfterEach
  void stop() throws IOException {
    region.close();
  }

  private List<String> mobFiles() throws IOException {
    return Arrays.stream(fs.listStatus(store.getPath()))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .sorted()
        .toList();
  }

  /** A MOB file as a worker writes it. */
  private String written(int number) throws IOException {
    String name = name(number);
    Path file = new Path(attempt, ".mob/" + name);
    FileUtil.copy(fs, new Path(store.getPath(), flushed.get(0)), fs, file, false, conf);
    fs.setTimes(file, 0, -1);
    return name;
  }

  private String name(int number) {
    return MobFileName.create(
            FAMILY,
            "20200101",
            String.format("%032x", number),
            region.getRegionInfo().getEncodedName())
        .getFileName();
  }

  /** A store file that refers to those. */
  private Path newFile(List<String> names) throws IOException {
    return newFile(TABLE, names);
  }

  private Path newFile(TableName table, List<String> names) throws IOException {
    SetMultimap<TableName, String> references = HashMultimap.create();
    references.putAll(table, names);
    StoreFileWriter writer = writer();
    writer.appendMobMetadata(references);
    writer.close();
    return writer.getPath();
  }

  private StoreFileWriter writer() throws IOException {
    return new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, fs)
        .withOutputDir(attempt)
        .withFileContext(new HFileContextBuilder().build())
        .build();
  }

  private MobResult result(List<String> names) throws IOException {
    MobResult result = new MobResult(store, attempt);
    for (String name : names) {
      assertThat(MobResult.isOne(".mob/" + name)).isTrue();
      result.add(".mob/" + name);
    }
    return result;
  }

  /** HBase's cleaner may have looked at the references already, and spares what is young. */
  @Test
  void whatIsMovedIsAsOldAsItsMove() throws IOException {
    List<String> names = List.of(written(1), written(2));
    long before = System.currentTimeMillis();
    result(names).commit(newFile(List.of(flushed.get(0), names.get(0), names.get(1))));
    assertThat(mobFiles()).contains(flushed.get(0)).containsAll(names).hasSize(3);
    for (String name : names) {
      assertThat(fs.getFileStatus(new Path(store.getPath(), name)).getModificationTime())
          // Of a second, on some file systems.
          .isGreaterThanOrEqualTo(before - 1000);
    }
  }

  @Test
  void anotherRegionsFilesAreNotTaken() throws IOException {
    MobResult result = new MobResult(store, attempt);
    String sound = name(1);
    for (String name :
        List.of(
            "",
            "../" + sound,
            "x/" + sound,
            sound + "0",
            sound.replace(region.getRegionInfo().getEncodedName(), "0".repeat(32)),
            "0".repeat(32) + sound.substring(32))) {
      assertThatThrownBy(() -> result.add(".mob/" + name)).isInstanceOf(IOException.class);
    }
    result.add(".mob/" + sound);
  }

  @Test
  void nothingIsMovedToWhichTheNewFileDoesNotRefer() throws IOException {
    List<String> names = List.of(written(1), written(2));
    Path file = newFile(names.subList(0, 1));
    assertThatThrownBy(() -> result(names).commit(file)).hasMessageContaining("does not refer");
    assertThatThrownBy(() -> result(List.of(names.get(0), names.get(0))).commit(file))
        .hasMessageContaining("does not refer");
    assertThatThrownBy(() -> result(names).commit(newFile(TableName.valueOf("original"), names)))
        .hasMessageContaining("does not refer");
    assertThat(mobFiles()).isEqualTo(flushed);
  }

  @Test
  void theNewFileRefersToNothingThatIsNotThere() throws IOException {
    Path file = newFile(List.of(flushed.get(0), name(1)));
    assertThatThrownBy(() -> result(List.of()).commit(file)).hasMessageContaining("not there");
    result(List.of(written(1))).commit(file);
    Path cloned = newFile(TableName.valueOf("original"), flushed);
    assertThatThrownBy(() -> result(List.of()).commit(cloned)).hasMessageContaining("not there");
  }

  /** As loaded in bulk: no file of the store says that it refers to it. */
  @Test
  void whatLiesThereMayBeReferredTo() throws IOException {
    String stray = written(1);
    assertThat(fs.rename(new Path(attempt, ".mob/" + stray), new Path(store.getPath(), stray)))
        .isTrue();
    result(List.of()).commit(newFile(List.of(stray)));
  }

  /** HBase's cleaner would stop at it, and another compactor has written it. */
  @Test
  void theNewFileSaysToWhatItRefers() throws IOException {
    StoreFileWriter writer = writer();
    writer.close();
    assertThatThrownBy(() -> result(List.of()).commit(writer.getPath()))
        .hasMessageContaining("does not say");
    result(List.of()).commit(newFile(List.of()));
  }

  @Test
  void nothingThatLiesThereIsReplaced() throws IOException {
    Path there = new Path(store.getPath(), name(1));
    fs.create(there).close();
    Path file = newFile(List.of(written(1)));
    assertThatThrownBy(() -> result(List.of(name(1))).commit(file)).hasMessageContaining("already");
    assertThat(fs.getFileStatus(there).getLen()).isZero();
  }

  @Test
  void halfAResultIsUndone() throws IOException {
    List<String> names = List.of(written(1), written(2));
    Path file = newFile(names);
    fs.delete(new Path(attempt, ".mob/" + names.get(1)), false);
    MobResult result = result(names);
    assertThatThrownBy(() -> result.commit(file)).isInstanceOf(IOException.class);
    result.undo();
    assertThat(new TreeSet<>(mobFiles())).containsExactlyElementsOf(flushed);
  }
}
