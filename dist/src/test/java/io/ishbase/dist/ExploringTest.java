package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.ishbase.sim.compaction.Exploring;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreConfigInformation;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionConfiguration;
import org.apache.hadoop.hbase.regionserver.compactions.ExploringCompactionPolicy;
import org.junit.jupiter.api.Test;

/** The simulator's selection of files is HBase's: the same on random stores, stuck ones too. */
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

  private static ExploringCompactionPolicy policy(
      int minFiles, int maxFiles, long maxBytes, double ratio, int blockingFiles) {
    Configuration conf = new Configuration(false);
    conf.setInt(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MIN_KEY, minFiles);
    conf.setInt(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_KEY, maxFiles);
    conf.setLong(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MIN_SIZE_KEY, FLUSH_BYTES);
    conf.setLong(CompactionConfiguration.HBASE_HSTORE_COMPACTION_MAX_SIZE_KEY, maxBytes);
    conf.setFloat(CompactionConfiguration.HBASE_HSTORE_COMPACTION_RATIO_KEY, (float) ratio);
    conf.setInt("hbase.hregion.majorcompaction", 0);
    return new ExploringCompactionPolicy(conf, new Store(blockingFiles));
  }

  private record Store(long getBlockingFileCount) implements StoreConfigInformation {
    @Override
    public long getMemStoreFlushSize() {
      return FLUSH_BYTES;
    }

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
      throw new UnsupportedOperationException();
    }

    @Override
    public String getColumnFamilyName() {
      return "f";
    }
  }
}
