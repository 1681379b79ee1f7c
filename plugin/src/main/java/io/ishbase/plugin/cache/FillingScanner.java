package io.ishbase.plugin.cache;

import io.ishbase.plugin.hbase.FileReaders;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.jspecify.annotations.Nullable;

/**
 * HBase's own scanners of a store's files, for a Get of a whole row, which goes into the segment
 * cache on its way: so that a cache fills whichever way the gate takes. The row is read ahead, as
 * far as the cache would take it; of a longer one the rest follows as HBase asks for it. Used by
 * the Get's thread.
 */
public final class FillingScanner extends NonReversedNonLazyKeyValueScanner {
  private final HStore store;
  private final RowFill fill;
  private final long cutOff;
  private final long maxRowBytes;
  private List<StoreFileScanner> files;

  /** Cells that were read ahead. */
  private final Deque<ExtendedCell> ahead = new ArrayDeque<>();

  /** The cells behind those; null: before the first seek. */
  private @Nullable KeyValueHeap rest;

  private FillingScanner(
      HStore store, List<StoreFileScanner> files, RowFill fill, long cutOff, long maxRowBytes) {
    this.store = store;
    this.files = files;
    this.fill = fill;
    this.cutOff = cutOff;
    this.maxRowBytes = maxRowBytes;
  }

  /**
   * One for the files among {@code scanners}, in their place.
   *
   * @param scanners as HBase made them: of files, then of memstores
   * @param fill ends with the scanner, or at once if there is none
   * @param cutOff timestamp before which the fill may lack what has expired
   * @param maxRowBytes of a row that the cache would take
   * @return {@code scanners} themselves if they do not show all that the files have
   */
  public static List<KeyValueScanner> in(
      List<KeyValueScanner> scanners,
      HStore store,
      long readPoint,
      RowFill fill,
      long cutOff,
      long maxRowBytes) {
    List<StoreFileScanner> files = new ArrayList<>();
    List<KeyValueScanner> all = new ArrayList<>();
    for (KeyValueScanner scanner : scanners) {
      if (scanner instanceof StoreFileScanner file) {
        if (!showsAll(store, file, readPoint)) {
          fill.abandon();
          return scanners;
        }
        files.add(file);
      } else {
        all.add(scanner);
      }
    }
    all.add(0, new FillingScanner(store, files, fill, cutOff, maxRowBytes));
    return all;
  }

  /** Whether nothing in the file is beyond the read point, nor shown otherwise than it is there. */
  private static boolean showsAll(HStore store, StoreFileScanner file, long readPoint) {
    return FileReaders.isHBases(store, StoreFileScannerAccess.reader(file))
        && StoreFileScannerAccess.maxSequenceId(file) <= readPoint;
  }

  @Override
  public boolean shouldUseScanner(Scan scan, HStore ofStore, long oldestUnexpiredTs) {
    List<StoreFileScanner> needed = new ArrayList<>(files.size());
    for (StoreFileScanner file : files) {
      if (file.shouldUseScanner(scan, ofStore, Math.min(oldestUnexpiredTs, cutOff))) {
        needed.add(file);
      } else {
        file.close();
      }
    }
    files = needed;
    if (files.isEmpty()) {
      fill.receivedRow(List.of());
    }
    return !files.isEmpty();
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    if (rest != null) {
      return reseek(key);
    }
    Cell first = PrivateCellUtil.createFirstOnRow(CellUtil.cloneRow(key));
    for (StoreFileScanner file : files) {
      file.seek(first);
    }
    KeyValueHeap heap = new KeyValueHeap(files, store.getComparator());
    rest = heap;
    readAhead(heap, key);
    return reseek(key);
  }

  private void readAhead(KeyValueHeap heap, Cell row) throws IOException {
    List<ExtendedCell> cells = new ArrayList<>();
    long bytes = 0;
    while (bytes <= maxRowBytes) {
      Cell cell = heap.peek();
      if (cell == null || !CellUtil.matchingRows(cell, row)) {
        fill.receivedRow(cells);
        break;
      }
      cells.add((ExtendedCell) heap.next());
      bytes += CachedRow.encodedBytes(cell);
    }
    fill.abandon();
    ahead.addAll(cells);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    if (rest == null) {
      return seek(key);
    }
    while (!ahead.isEmpty() && isBefore(ahead.element(), key)) {
      ahead.remove();
    }
    if (ahead.isEmpty()) {
      rest.reseek(key);
    }
    return peek() != null;
  }

  private boolean isBefore(Cell cell, Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(store.getComparator(), cell, key) < 0;
  }

  @Override
  public @Nullable Cell peek() {
    if (!ahead.isEmpty()) {
      return ahead.element();
    }
    return rest == null ? null : rest.peek();
  }

  @Override
  public @Nullable Cell next() throws IOException {
    if (!ahead.isEmpty()) {
      return ahead.remove();
    }
    return rest == null ? null : rest.next();
  }

  @Override
  public long getScannerOrder() {
    return 0;
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    for (StoreFileScanner file : files) {
      file.recordBlockSize(blockSizeConsumer);
    }
  }

  /** What is not asked for yet is copied: its blocks may go. */
  @Override
  public void shipped() throws IOException {
    List<ExtendedCell> kept = new ArrayList<>(ahead.size());
    ahead.forEach(cell -> kept.add(KeyValueUtil.copyToNewKeyValue(cell)));
    ahead.clear();
    ahead.addAll(kept);
    for (StoreFileScanner file : files) {
      file.shipped();
    }
  }

  @Override
  public void close() {
    fill.abandon();
    ahead.clear();
    rest = null;
    files.forEach(StoreFileScanner::close);
    files = List.of();
  }
}
