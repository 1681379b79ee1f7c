package io.ishbase.daemon.compaction;

import io.ishbase.daemon.compaction.DataBlockReader.OpenBlock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.hfile.BlockCopier;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.IssnStoreFileAccess;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;

/** The new file of a compaction, and the files whose blocks may be copied into it. */
final class CopyTarget {
  private static final String DICTIONARY = "hbase.io.compress.zstd.dictionary";

  private final BlockCopier copier;
  private final CellSink file;
  private final ScanInfo family;
  private final long cleansUpTo;
  private final JobThrottle throttle;
  private final CompactionProgress progress;
  private final Map<StoreFileScanner, CopySource> sources = new IdentityHashMap<>();

  /** Not before the time by which the merge decides what has expired. */
  private final long now = EnvironmentEdgeManager.currentTime();

  private long cells;
  private long uncompressedBytes;

  private CopyTarget(
      BlockCopier copier,
      CellSink file,
      ScanInfo family,
      long cleansUpTo,
      JobThrottle throttle,
      CompactionProgress progress) {
    this.copier = copier;
    this.file = file;
    this.family = family;
    this.cleansUpTo = cleansUpTo;
    this.throttle = throttle;
    this.progress = progress;
  }

  /** Whether blocks may be copied in compactions of that family at all. */
  static boolean isPossible(ColumnFamilyDescriptor family, Configuration conf) {
    return !family.isMobEnabled()
        && !family.isNewVersionBehavior()
        && family.getEncryptionType() == null
        && !conf.getBoolean(StoreFileWriter.ENABLE_HISTORICAL_COMPACTION_FILES, false)
        // Which one a block was compressed with is not known.
        && conf.get(DICTIONARY) == null;
  }

  /**
   * Makes a new file ready for blocks.
   *
   * @param scanners of the files
   * @param cleansUpTo see {@link StayingCells}
   * @return null if no block of theirs can be copied
   */
  static @Nullable CopyTarget of(
      StoreFileWriter file,
      List<StoreFileScanner> scanners,
      Configuration conf,
      ScanInfo family,
      long cleansUpTo,
      JobThrottle throttle,
      CompactionProgress progress)
      throws IOException {
    BlockCopier copier = BlockCopier.into(IssnStoreFileAccess.writer(file), conf);
    if (copier == null) {
      return null;
    }
    CopyTarget target = new CopyTarget(copier, file, family, cleansUpTo, throttle, progress);
    for (StoreFileScanner scanner : scanners) {
      target.add(scanner, conf);
    }
    return target.sources.isEmpty() ? null : target;
  }

  private void add(StoreFileScanner scanner, Configuration conf) {
    StoreFileReader reader = IssnStoreFileAccess.reader(scanner);
    HFile.Reader hfile = reader.getHFileReader();
    // A half of a file is read by a class of its own, and cells of a bulk load get another number.
    if (reader.getClass() == StoreFileReader.class
        && !reader.isBulkLoaded()
        && copier.takesFrom(hfile)) {
      CopySource source = CopySource.of(scanner, hfile, conf, family.getComparator());
      if (source != null) {
        sources.put(scanner, source);
        cells += hfile.getEntries();
        uncompressedBytes += hfile.getTrailer().getTotalUncompressedBytes();
      }
    }
  }

  /** The file of a scanner; null if nothing of it can be copied. */
  @Nullable CopySource source(StoreFileScanner scanner) {
    return sources.get(scanner);
  }

  /** For blocks that follow one another. */
  StayingCells stayingCells() {
    return new StayingCells(family, now, cleansUpTo);
  }

  /** Cells of a block, about. */
  long cellsInBlock() {
    return Math.max(1, cells * copier.blockBytes() / Math.max(1, uncompressedBytes));
  }

  /**
   * Whether that block could be the new file's. Those of a family whose block size has changed are
   * not, nor is the last of a file, which is seldom full: how it ended would be kept for ever.
   */
  boolean takes(OpenBlock block) {
    return 2 * block.bytes() >= copier.blockBytes()
        && block.bytes() - block.last().getSerializedSize() <= 2L * copier.blockBytes()
        && copier.takes(block.onDisk());
  }

  /**
   * Writes a block.
   *
   * @throws InterruptedIOException if the compaction shall not go on
   */
  void copy(OpenBlock block) throws IOException {
    copier.copy(block.onDisk(), block.cells(), file);
    progress.currentCompactedKVs += block.cells().size();
    progress.totalCompactedSize += block.bytes();
    try {
      throttle.copied(block.cells().size(), block.bytes());
    } catch (InterruptedException e) {
      throw (IOException) new InterruptedIOException(e.getMessage()).initCause(e);
    }
  }
}
