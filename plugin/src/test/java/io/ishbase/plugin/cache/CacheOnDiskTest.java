package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.file.FileCache;
import io.ishbase.plugin.scan.Confidentiality;
import io.ishbase.plugin.settings.ServerSettings;
import io.ishbase.testing.Await;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.crypto.Encryption;
import org.apache.hadoop.hbase.io.crypto.KeyProvider;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which rows go to the file behind the segment cache, and how they come back. */
class CacheOnDiskTest {
  /** Together they take the memory twice. */
  private static final int OTHERS = 2_000;

  @TempDir private Path directory;

  /** What is packed takes as much. */
  private final Random random = new Random(Seed.get());

  private CachedRegion region;
  private CachedRows cache;

  @AfterEach
  void close() throws IOException {
    FileCache file = region.memory().file();
    region.close();
    if (file != null) {
      file.close();
    }
  }

  private CacheOnDisk open(ColumnFamilyDescriptorBuilder family, String path) throws IOException {
    region = new CachedRegion(directory.resolve("hbase"), family);
    Configuration conf = new Configuration(false);
    conf.set("ishbase.cache.file", path);
    // Of it a part lies in memory, in which a slow disk keeps what is to be written.
    conf.setInt("ishbase.cache.file.bytes", 32 << 20);
    CacheOnDisk disk =
        CacheOnDisk.of(
            ServerSettings.read(conf), region.memory(), new Confidentiality(conf, false));
    cache = region.cache(Set.of(DefaultCompactor.class), 1_000);
    return disk;
  }

  /** With a file to which rows go. */
  private void openAdmitted(ColumnFamilyDescriptorBuilder family) throws IOException {
    CacheOnDisk disk = open(family, directory.resolve("rows").toString());
    disk.admit(region.store(), cache);
    Await.until("it is admitted", this::goesToTheFile);
  }

  private void fill(String row, byte[] value) {
    KeyValue cell =
        new KeyValue(Bytes.toBytes(row), CachedRegion.FAMILY, Bytes.toBytes("x"), 1, value);
    cache.put(cache.rows().ticket(), Bytes.toBytes(row), null, List.of(cell));
  }

  /** Has all that was cached before leave the memory. */
  private void others() {
    for (int i = 0; i < OTHERS; i++) {
      byte[] value = new byte[1_000];
      random.nextBytes(value);
      fill("other" + i, value);
    }
  }

  private CacheVisibility.Reader reader(Scan scan) {
    return cache.reader(scan, region.store().getScanInfo(), Long.MAX_VALUE);
  }

  /** What a Get finds, in memory or in the file; null: nothing. */
  private List<String> found(String row) {
    CachedRow.Cells cells =
        reader(new Scan(new Get(Bytes.toBytes(row)))).find(Bytes.toBytes(row), null);
    return cells == null
        ? null
        : CachedRow.all(cells).stream().map(CacheOnDiskTest::value).toList();
  }

  private static String value(ExtendedCell cell) {
    return Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  private void rowA() throws IOException {
    region.put("a", "q", 1, "v1");
    region.flush();
    cache.put(cache.rows().ticket(), Bytes.toBytes("a"), null, region.stored("a"));
  }

  @Test
  void aRowComesBackWithWhatFlushesAdded() throws Exception {
    openAdmitted(CachedRegion.family().setMaxVersions(3));
    rowA();
    others();
    assertThat(CachedRegion.cached(cache, "a")).as("in memory").isNull();
    assertThat(reader(new Scan()).covers(Bytes.toBytes("a"), null)).isTrue();
    assertThat(cache.covers(Bytes.toBytes("a"))).isTrue();

    region.put("a", "q", 2, "v2");
    region.flush();
    region.put("a", "r", 3, "w");
    region.flush();
    assertThat(found("a")).containsExactly("v2", "v1", "w");
    assertThat(CachedRegion.cached(cache, "a")).as("in memory again").hasSize(3);
    assertThat(cache.faults()).noneMatch(fault -> fault.startsWith("a: "));

    others();
    assertThat(found("a")).containsExactly("v2", "v1", "w");
    region.memory().file().close();
    others();
    assertThat(found("a")).isNull();
  }

  @Test
  void aVersionThatAMarkerInTheFileUncoversIsKept() throws Exception {
    openAdmitted(CachedRegion.family());
    region.delete(
        new Delete(Bytes.toBytes("a")).addColumn(CachedRegion.FAMILY, Bytes.toBytes("q"), 10));
    region.flush();
    cache.put(cache.rows().ticket(), Bytes.toBytes("a"), null, region.stored("a"));
    others();
    assertThat(CachedRegion.cached(cache, "a")).as("in memory").isNull();

    RegionScanner before = region.region().getScanner(new Scan());
    region.put("a", "q", 10, "deleted").put("a", "q", 5, "uncovered");
    region.flushBeside(before);
    assertThat(region.value("a", "q")).isEqualTo("uncovered");
    assertThat(found("a")).contains("uncovered");
  }

  @Test
  void aRowThatBecameTooLargeIsForgotten() throws Exception {
    openAdmitted(CachedRegion.family());
    byte[] half = new byte[(int) cache.rows().maxRowBytes() * 2 / 3];
    random.nextBytes(half);
    fill("a", half);
    others();
    assertThat(cache.covers(Bytes.toBytes("a"))).isTrue();
    region.put("a", "q", 1, Bytes.toString(new byte[half.length]));
    region.flush();
    assertThat(cache.covers(Bytes.toBytes("a"))).isTrue();
    assertThat(found("a")).isNull();
    assertThat(cache.covers(Bytes.toBytes("a"))).isFalse();
  }

  @Test
  void whatLiesThereIsComparedWithTheStoresFiles() throws Exception {
    openAdmitted(CachedRegion.family());
    rowA();
    region.put("b", "x", 1, "so");
    region.flush();
    fill("b", Bytes.toBytes("not so"));
    others();
    assertThat(CachedRegion.cached(cache, "b")).as("in memory").isNull();
    assertThat(cache.faults())
        .noneMatch(fault -> fault.startsWith("a: "))
        .anyMatch(fault -> fault.startsWith("b: cached"));
  }

  private boolean goesToTheFile() {
    others();
    return region.memory().file().stats().writtenRows() > 0;
  }

  @Test
  void whoCachesNothingKeepsNothing() throws Exception {
    openAdmitted(CachedRegion.family());
    rowA();
    others();
    Scan scan = new Scan(new Get(Bytes.toBytes("a")).setCacheBlocks(false));
    assertThat(reader(scan).find(Bytes.toBytes("a"), null)).isNotNull();
    assertThat(CachedRegion.cached(cache, "a")).isNull();
  }

  @Test
  void anEncryptedFamilyDoesNotGoThere() throws Exception {
    CacheOnDisk disk =
        open(CachedRegion.family().setEncryptionType("AES"), directory.resolve("rows").toString());
    disk.admit(region.store(), cache);
    fill("a", Bytes.toBytes("v1"));
    others();
    assertThat(found("a")).isNull();
    assertThat(region.memory().file().stats().writtenRows()).isZero();
  }

  /** HBase reads it by the key in its trailer, whatever the family says. */
  @Test
  void norWhatAnEncryptedFileBrings() throws Exception {
    openAdmitted(
        CachedRegion.family()
            .setConfiguration(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, Keys.class.getName()));
    loadEncrypted("a");
    cache.put(cache.rows().ticket(), Bytes.toBytes("a"), null, region.stored("a"));
    assertThat(found("a")).containsExactly("secret");
    cache.rows().goOnInFile();
    others();
    assertThat(found("a")).isNull();
  }

  private void loadEncrypted(String row) throws IOException {
    Configuration conf = new Configuration();
    conf.set(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, Keys.class.getName());
    Encryption.Context encryption = Encryption.newContext(conf);
    encryption.setCipher(Encryption.getCipher(conf, "AES"));
    encryption.setKey(new byte[16]);
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(directory.resolve("loads/f/a").toUri());
    try (HFile.Writer writer =
        HFile.getWriterFactoryNoCache(conf)
            .withPath(region.region().getFilesystem(), file)
            .withFileContext(new HFileContextBuilder().withEncryptionContext(encryption).build())
            .create()) {
      writer.append(
          new KeyValue(
              Bytes.toBytes(row),
              CachedRegion.FAMILY,
              Bytes.toBytes("q"),
              1,
              Bytes.toBytes("secret")));
    }
    region
        .region()
        .bulkLoadHFiles(List.of(Pair.newPair(CachedRegion.FAMILY, file.toString())), true, null);
    assertThat(region.store().getStorefilesCount()).isOne();
  }

  /** One key for all. */
  public static final class Keys implements KeyProvider {
    @Override
    public void init(String parameters) {
      // It has none.
    }

    @Override
    public Key getKey(String alias) {
      return new SecretKeySpec(new byte[16], "AES");
    }

    @Override
    public Key[] getKeys(String[] aliases) {
      return Stream.of(aliases).map(this::getKey).toArray(Key[]::new);
    }
  }

  @Test
  void withoutAFileRowsAreCachedInMemory() throws Exception {
    assertThat(open(CachedRegion.family(), "")).isNull();
    assertThat(region.memory().file()).isNull();
    rowA();
    others();
    assertThat(found("a")).isNull();
  }

  @Test
  void whatIsNotToBeHadIsDoneWithout() throws Exception {
    Path other = Files.writeString(directory.resolve("other"), "a letter");
    assertThat(open(CachedRegion.family(), other.toString())).isNull();
    assertThat(region.memory().file()).isNull();
    assertThat(other).hasContent("a letter");
    rowA();
    assertThat(found("a")).containsExactly("v1");
  }
}
