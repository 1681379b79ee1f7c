package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.ishbase.it.OwnJvm;
import io.ishbase.sim.compaction.Exploring;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreConfigInformation;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionConfiguration;
import org.apache.hadoop.hbase.regionserver.compactions.ExploringCompactionPolicy;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The simulator's selection of files is HBase's: the same on random stores, stuck ones too; so are
 * its limits.
 */
@OwnJvm
class ExploringTest {
  private static final int MOST_FILES = 14;
  private static final int STORES = 2000;
  private static final long FLUSH_BYTES = 1000;

  private final long[] lengths = new long[MOST_FILES];
  private final List<HStoreFile> files = new ArrayList<>();

  /** Of which HBase's class asks for its length alone. */
  private void makeFiles() {
    for (int i = 0; i < MOST_FILES; i++) {
      int place = i;
      StoreFileReader reader = mock(StoreFileReader.class, withSettings().stubOnly());
      when(reader.length()).thenAnswer(call -> lengths[place]);
      HStoreFile file = mock(HStoreFile.class, withSettings().stubOnly());
      when(file.getReader()).thenReturn(reader);
      files.add(file);
    }
  }

  @Test
  void selectsWhatHBaseSelects() throws IOException {
    makeFiles();
    Random random = new Random(Seed.get());
    int selected = 0;
    int stuck = 0;
    for (int store = 0; store < STORES; store++) {
      int count = random.nextInt(MOST_FILES + 1);
      for (int i = 0; i < count; i++) {
        // Sizes of all magnitudes, some of them alike.
        lengths[i] = random.nextInt(5) == 0 ? FLUSH_BYTES : 1L << random.nextInt(18);
        lengths[i] += random.nextInt(3) * random.nextInt(100);
      }
      int minFiles = 2 + random.nextInt(3);
      int maxFiles = minFiles + random.nextInt(8);
      double ratio = random.nextBoolean() ? 1.2f : 3;
      long maxBytes = random.nextInt(4) == 0 ? 1L << 14 : Long.MAX_VALUE;
      int blockingFiles = 6 + random.nextInt(10);
      int free = random.nextInt(3) == 0 ? random.nextInt(count + 1) : 0;
      int compacting = free == 0 ? 0 : 1 + random.nextInt(free);

      Exploring.Span ours =
          new Exploring(minFiles, maxFiles, FLUSH_BYTES, maxBytes, ratio, blockingFiles)
              .select(Arrays.copyOf(lengths, count), compacting, free);
      Collection<HStoreFile> theirs =
          policy(minFiles, maxFiles, maxBytes, ratio, blockingFiles)
              .selectCompaction(
                  new ArrayList<>(files.subList(0, count)),
                  new ArrayList<>(files.subList(free - compacting, free)),
                  false,
                  false,
                  false)
              .getFiles();
      assertThat(files.subList(ours.from(), ours.to()))
          .as("of %s, free from %s", Arrays.toString(Arrays.copyOf(lengths, count)), free)
          .containsExactlyElementsOf(theirs);
      selected += theirs.isEmpty() ? 0 : 1;
      stuck += count - compacting >= blockingFiles ? 1 : 0;
    }
    assertThat(selected).isBetween(STORES / 5, STORES - STORES / 20);
    assertThat(stuck).isGreaterThan(STORES / 20);
  }

  /** What the parameters say is HBase's default is. */
  @Test
  void defaultsAreHBases() {
    Configuration defaults = HBaseConfiguration.create();
    long flushBytes = defaults.getLong(HConstants.HREGION_MEMSTORE_FLUSH_SIZE, 0);
    Store store = new Store(defaults.getInt(HStore.BLOCKING_STOREFILES_KEY, 0), flushBytes);
    CompactionConfiguration theirs = new ExploringCompactionPolicy(defaults, store).getConf();
    Parameters ours = Parameters.seed();
    assertThat(ours.whole("files.min")).isEqualTo(theirs.getMinFilesToCompact());
    assertThat(ours.whole("files.max")).isEqualTo(theirs.getMaxFilesToCompact());
    assertThat(ours.whole("files.least.bytes")).isEqualTo((int) theirs.getMinCompactSize());
    assertThat(ours.number("large.bytes")).isEqualTo(theirs.getThrottlePoint());
    assertThat(theirs.getMaxCompactSize()).isEqualTo(Long.MAX_VALUE);
    assertThat(ours.whole("files.blocking")).isEqualTo((int) store.getBlockingFileCount());
    assertThat(1000 * ours.whole("files.blocking.seconds"))
        .isEqualTo(defaults.getInt("hbase.hstore.blockingWaitTime", 0));
  }

  /** A real store, flushed again and again. */
  @Test
  void flushesAreHeldBackAsInHBase(@TempDir Path directory) throws IOException {
    int blockingFiles = 3;
    Exploring model = new Exploring(3, 10, FLUSH_BYTES, Long.MAX_VALUE, 3, blockingFiles);
    Configuration conf = HBaseConfiguration.create();
    conf.setInt(HStore.BLOCKING_STOREFILES_KEY, blockingFiles);
    org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path(directory.toUri());
    conf.set(HConstants.HBASE_DIR, root.toString());
    // The log lies on a local disk.
    conf.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    byte[] family = Bytes.toBytes("f");
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
            .build();
    RegionInfo info = RegionInfoBuilder.newBuilder(table.getTableName()).build();
    HRegion region = HBaseTestingUtility.createRegionAndWAL(info, root, conf, table);
    try {
      for (int files = 0; files <= blockingFiles + 2; files++) {
        assertThat(model.holdsBackFlushes(files))
            .as("with %s files", files)
            .isEqualTo(region.getStore(family).hasTooManyStoreFiles());
        region.put(new Put(Bytes.toBytes(files)).addColumn(family, family, family));
        region.flush(true);
        assertThat(region.getStore(family).getStorefilesCount()).isEqualTo(files + 1);
      }
    } finally {
      HBaseTestingUtility.closeRegionAndWAL(region);
    }
  }

  private static ExploringCompactionPolicy policy(
      int minFiles, int maxFiles, long maxBytes, double ratio, int blockingFiles) {
    Configuration conf = new Configuration(false);
    conf.setInt(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MIN_KEY, minFiles);
    conf.setInt(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_KEY, maxFiles);
    conf.setLong(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MIN_SIZE_KEY, FLUSH_BYTES);
    conf.setLong(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_SIZE_KEY, maxBytes);
    conf.setFloat(CompactionConfiguration.HBASE_HSTORE_COMPACTION_RATIO_KEY, (float) ratio);
    conf.setInt("hbase.hregion.majorcompaction", 0);
    return new ExploringCompactionPolicy(conf, new Store(blockingFiles, FLUSH_BYTES));
  }

  private record Store(long getBlockingFileCount, long getMemStoreFlushSize)
      implements StoreConfigInformation {
    @Override
    public long getStoreFileTtl() {
      return Long.MAX_VALUE;
    }

    @Override
    public long getCompactionCheckMultiplier() {
      return 1;
    }

    @Override
    public RegionInfo getRegionInfo() {
      return RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build();
    }

    @Override
    public String getColumnFamilyName() {
      return "f";
    }
  }
}
