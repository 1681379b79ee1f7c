package io.ishbase.plugin.hbase;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;

/**
 * What {@code HStore.getScanners} is asked: which of a store's files a read needs, and how it reads
 * them.
 *
 * @param usePread whether files are read by position, not as a stream
 */
public record FileSelection(
    boolean cacheBlocks,
    boolean usePread,
    boolean isCompaction,
    ScanQueryMatcher matcher,
    byte[] startRow,
    boolean includeStartRow,
    byte[] stopRow,
    boolean includeStopRow,
    long readPoint,
    boolean onlyLatestVersion) {

  /** Makes the scanners that HBase itself would use. */
  @FunctionalInterface
  public interface Stock {
    List<KeyValueScanner> scanners(FileSelection selection) throws IOException;
  }

  /** Makes scanners of a store's memstores. */
  @FunctionalInterface
  public interface Memstores {
    List<KeyValueScanner> scanners(long readPoint) throws IOException;
  }

  /** {@code HStore.getScanners}, as a store has it from HBase. */
  @FunctionalInterface
  public interface OfHBase {
    List<KeyValueScanner> scanners(
        boolean cacheBlocks,
        boolean usePread,
        boolean isCompaction,
        ScanQueryMatcher matcher,
        byte[] startRow,
        boolean includeStartRow,
        byte[] stopRow,
        boolean includeStopRow,
        long readPoint,
        boolean onlyLatestVersion)
        throws IOException;
  }

  /** Asks HBase's own method. */
  public List<KeyValueScanner> ask(OfHBase store) throws IOException {
    return store.scanners(
        cacheBlocks,
        usePread,
        isCompaction,
        matcher,
        startRow,
        includeStartRow,
        stopRow,
        includeStopRow,
        readPoint,
        onlyLatestVersion);
  }

  /** The same, but the files are read by position. */
  public FileSelection byPosition() {
    return usePread
        ? this
        : new FileSelection(
            cacheBlocks,
            true,
            isCompaction,
            matcher,
            startRow,
            includeStartRow,
            stopRow,
            includeStopRow,
            readPoint,
            onlyLatestVersion);
  }

  /** The files of {@code store}, whose engine's lock the caller holds. */
  public Collection<HStoreFile> files(HStore store) {
    return store
        .getStoreEngine()
        .getStoreFileManager()
        .getFilesForScan(startRow, includeStartRow, stopRow, includeStopRow, onlyLatestVersion);
  }
}
