package io.ishbase.daemon.compaction;

import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.generated.CompactionProtos.MobCells;
import java.io.IOException;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.IssnMobStore;
import org.apache.hadoop.hbase.regionserver.StoreContext;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;

/**
 * The store of an attempt at a family with large objects: {@link AttemptStore}. Its MOB files stay
 * in the attempt's directory, where HBase's goes to the directory of the whole table; the region
 * server moves them.
 *
 * <p>Relies on HBase 2.6: {@code DefaultMobStoreCompactor} begins each MOB file by the first {@code
 * createWriterInTmp} here, as long as the engine's file tracker has files written elsewhere first,
 * and hands each that has cells to {@code commitFile} once it is closed. What it deletes when it
 * fails lies in the attempt's directory, or nowhere: a name that was committed is not there yet.
 *
 * <p>Used by the thread that compacts.
 */
final class MobCompactionStore extends IssnMobStore {
  private final List<Path> written = new ArrayList<>();
  private final SimpleDateFormat day = new SimpleDateFormat("yyyyMMdd", Locale.ROOT);

  /** {@code zone} is the region server's: which day it is by the clock of those who look. */
  MobCompactionStore(
      CompactionRegion region, ColumnFamilyDescriptor family, Configuration conf, TimeZone zone)
      throws IOException {
    super(region, family, conf, false);
    day.setTimeZone(zone);
  }

  /** The MOB files that are complete. */
  List<Path> written() {
    return List.copyOf(written);
  }

  /** What the compactor says that it moved. */
  MobCells moved() {
    return MobCells.newBuilder()
        .setTo(getCellsCountCompactedToMob())
        .setBytesTo(getCellsSizeCompactedToMob())
        .setFrom(getCellsCountCompactedFromMob())
        .setBytesFrom(getCellsSizeCompactedFromMob())
        .build();
  }

  @Override
  protected StoreEngine<?, ?, ?, ?> createStoreEngine(
      HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
    return AttemptStore.engine(store, storeConf, comparator);
  }

  @Override
  protected StoreContext context(StoreContext own) {
    return AttemptStore.context(own, (CompactionRegion) getHRegion(), conf);
  }

  @Override
  public StoreFileWriter createWriterInTmp(
      Date newest,
      long maxKeys,
      Compression.Algorithm compression,
      byte[] startKey,
      boolean isCompaction)
      throws IOException {
    return createWriterInTmp(
        day.format(newest),
        new Path(getRegionFileSystem().getTempDir(), AttemptDirectory.MOB),
        maxKeys,
        compression,
        startKey,
        isCompaction,
        null);
  }

  @Override
  public void commitFile(Path file, Path directory) {
    written.add(file);
  }
}
