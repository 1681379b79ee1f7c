package io.ishbase.plugin.blockwarmup;

import io.ishbase.plugin.hbase.FileSelection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The time between the commit of a compaction and the moment when all reads use its new file: rows
 * before a threshold are read from the new file, the threshold and those after it from the files
 * that were compacted (the seed's incremental warm-up, section 5.4.2, where it is called T).
 *
 * <p>The commit comes first, so nothing depends on the warm-up: whenever it ends, and for whatever
 * reason, reads go to the store's files as HBase has them. A row moves from the old files to the
 * new one once and never back, so no delete marker that the compaction removed shows effect again.
 * A scanner keeps the threshold of its beginning. Readers whose read point is below what the
 * compaction assumed hold scanners that are older than the commit, as always with HBase.
 *
 * <p>The old files are held by a scanner each, or HBase would archive them. Scanners are made under
 * the read lock, the old files let go under the write lock; HBase's store engine lock is taken
 * before it. The threshold is written by the thread that warms up.
 */
public final class WarmUp {
  private final Collection<HStoreFile> old;
  private final Collection<HStoreFile> former;
  private final String newName;
  private final CellComparator comparator;
  private final Set<String> oldNames = new HashSet<>();
  private final List<KeyValueScanner> holds = new ArrayList<>();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile byte[] threshold = HConstants.EMPTY_BYTE_ARRAY;

  /** Holds {@code old}, which a compaction into the file {@code newName} is about to replace. */
  WarmUp(Collection<HStoreFile> old, String newName, CellComparator comparator) {
    this(old, List.of(), newName, comparator);
  }

  private WarmUp(
      Collection<HStoreFile> old,
      Collection<HStoreFile> former,
      String newName,
      CellComparator comparator) {
    this.old = List.copyOf(old);
    this.former = former;
    this.newName = newName;
    this.comparator = comparator;
    try {
      old.forEach(file -> oldNames.add(nameInCache(file)));
      for (HStoreFile file : wereCached()) {
        holds.add(file.getPreadScanner(false, Long.MAX_VALUE, 0, false));
      }
    } catch (RuntimeException e) {
      holds.forEach(KeyValueScanner::close);
      throw e;
    }
  }

  /** The name under which blocks of the file are cached: of a link or reference, its target's. */
  static String nameInCache(HStoreFile file) {
    return file.getReader().getHFileReader().getPath().getName();
  }

  /**
   * Ends this one, as a compaction into the file {@code next} is about to replace {@code
   * compacted}, the new file among them, and begins that one's.
   */
  WarmUp supersede(Collection<HStoreFile> compacted, String next) {
    lock.writeLock().lock();
    try {
      WarmUp warmUp = new WarmUp(compacted, hasEnded() ? List.of() : old, next, comparator);
      end();
      return warmUp;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * The files whose blocks tell what is worth fetching: the old ones, and those of the warm-up that
   * this one supersedes, for what had not been fetched then.
   */
  Collection<HStoreFile> wereCached() {
    List<HStoreFile> files = new ArrayList<>(old);
    files.addAll(former);
    return files;
  }

  String newName() {
    return newName;
  }

  /** From now on reads of rows before {@code row} use the new file. Rows only grow. */
  void advance(byte[] row) {
    threshold = row;
  }

  /** The first row that is still read from the old files. */
  public byte[] threshold() {
    return threshold;
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Waits until it has ended, so long at most; returns whether it has. */
  boolean awaitEnd(long nanos) throws InterruptedException {
    return ended.await(nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Makes all later reads use the store's files as they are, and lets the old ones go; returns
   * whether it had not ended before.
   */
  boolean end() {
    lock.writeLock().lock();
    try {
      boolean isFirst = !hasEnded();
      ended.countDown();
      holds.forEach(KeyValueScanner::close);
      holds.clear();
      return isFirst;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Whether all rows of a read are read from the new file by now: HBase's own scanners are right.
   */
  boolean isBehind(byte[] startRow, byte[] stopRow) {
    return isBelow(startRow, stopRow, threshold);
  }

  /**
   * The file scanners of a read.
   *
   * @param current the store's files that the read would use
   * @return as HBase would make them but for the threshold; null if HBase's own are right
   */
  @Nullable List<KeyValueScanner> scanners(Collection<HStoreFile> current, FileSelection asked)
      throws IOException {
    byte[] startRow = asked.startRow();
    byte[] stopRow = asked.stopRow();
    lock.readLock().lock();
    try {
      byte[] row = threshold;
      HStoreFile newFile = newFileAmong(current);
      if (hasEnded() || newFile == null || isBelow(startRow, stopRow, row)) {
        return null;
      }
      boolean isAbove = isAbove(startRow, stopRow, row);
      List<HStoreFile> files = new ArrayList<>(current);
      files.addAll(old);
      if (isAbove) {
        files.remove(newFile);
      }
      List<KeyValueScanner> scanners = new ArrayList<>();
      for (StoreFileScanner scanner :
          StoreFileScanner.getScannersForStoreFiles(
              files,
              asked.cacheBlocks(),
              asked.usePread(),
              false,
              false,
              asked.matcher(),
              asked.readPoint())) {
        scanners.add(isAbove ? scanner : bounded(scanner, row));
      }
      return scanners;
    } finally {
      lock.readLock().unlock();
    }
  }

  private KeyValueScanner bounded(StoreFileScanner scanner, byte[] row) {
    String name = scanner.getFilePath().getName();
    if (name.equals(newName)) {
      return new RowBoundedScanner(scanner, comparator, row, true);
    }
    return oldNames.contains(name)
        ? new RowBoundedScanner(scanner, comparator, row, false)
        : scanner;
  }

  /** The new file, if the store has it and none that could be taken for an old one. */
  private @Nullable HStoreFile newFileAmong(Collection<HStoreFile> current) {
    HStoreFile found = null;
    for (HStoreFile file : current) {
      if (file.getPath().getName().equals(newName)) {
        found = file;
      } else if (oldNames.contains(nameInCache(file))) {
        return null;
      }
    }
    return found;
  }

  // A reversed scan begins at the greater row. One that is open at an end may go either way.
  private static boolean isBelow(byte[] startRow, byte[] stopRow, byte[] row) {
    return startRow.length > 0
        && stopRow.length > 0
        && Bytes.compareTo(startRow, row) < 0
        && Bytes.compareTo(stopRow, row) < 0;
  }

  private static boolean isAbove(byte[] startRow, byte[] stopRow, byte[] row) {
    return row.length == 0
        || startRow.length > 0
            && stopRow.length > 0
            && Bytes.compareTo(startRow, row) >= 0
            && Bytes.compareTo(stopRow, row) >= 0;
  }
}
