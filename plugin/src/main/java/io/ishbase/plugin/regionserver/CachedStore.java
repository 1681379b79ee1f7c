package io.ishbase.plugin.regionserver;

import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.Pin;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.plugin.regionserver.compaction.CompactionHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the segment cache holds of one open store: rows, each with all cells that the store's HFiles
 * have of it, or that they have in some columns. Here HBase's cells, files and scans become the
 * cache's payloads and changes; the cache itself knows rows and bytes.
 *
 * <p>Thread safe. A reader that looks here after it took its files and memstores, or under the same
 * hold of the store engine's lock, finds at least what its files hold.
 */
final class CachedStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CachedStore.class);

  /** A fill under way, by row: who wants the same row waits for it. */
  private final ConcurrentHashMap<ByteBuffer, CompletableFuture<Void>> filling =
      new ConcurrentHashMap<>();

  private final InStorageStore store;
  private final StoreCache rows;
  private final VersionMarkers markers = new VersionMarkers();
  private final long longestWaitMillis;

  CachedStore(InStorageStore store, StoreCache rows, long longestWaitMillis) {
    this.store = store;
    this.rows = rows;
    this.longestWaitMillis = longestWaitMillis;
  }

  /**
   * Whether a read may be answered from rows of which it is only known what cells they have. A raw
   * scan shows a cell twice that is in the memstore and in the cache while a flush ends.
   */
  static boolean canServe(Scan scan) {
    return !scan.isRaw() && !scan.isReversed();
  }

  /**
   * Whether a read sees none of what a trimmed row lacks. It could see versions beyond the family's
   * maximum if a coprocessor changed what is kept, if a time range leaves newer ones out of the
   * count, or if its filter seeks past them.
   */
  boolean canUseTrimmed(Scan scan, ScanInfo scanInfo) {
    return scanInfo == store.getScanInfo()
        && scan.getTimeRange().isAllTime()
        && scan.getColumnFamilyTimeRange().isEmpty()
        && !FilterPushdown.mayPassOverVersions(scan.getFilter());
  }

  /** Whether what a read fetches may go into the cache. A time range leaves out files and cells. */
  boolean mayFill(Scan scan) {
    return scan.getCacheBlocks()
        && store.getColumnFamilyDescriptor().isBlockCacheEnabled()
        && scan.getTimeRange().isAllTime()
        && scan.getColumnFamilyTimeRange().isEmpty();
  }

  /**
   * The row of a Get, if the cache has all that the Get can see.
   *
   * @param columns null: all
   * @return null if it has not
   */
  CachedRowScanner get(Scan scan, ScanInfo scanInfo, NavigableSet<byte[]> columns, long readPoint) {
    Pin pin = rows.pin();
    RowView view = new RowView();
    if (!rows.find(pin, scan.getStartRow(), array(columns), view)
        || view.isTrimmed() && !canUseTrimmed(scan, scanInfo)) {
      pin.close();
      return null;
    }
    return new CachedRowScanner(
        pin, new CachedRow.Reader(view.buffer(), view.offset(), view.length(), readPoint), store);
  }

  boolean covers(byte[] row, NavigableSet<byte[]> columns) {
    return rows.covers(row, array(columns));
  }

  private static byte[][] array(NavigableSet<byte[]> columns) {
    return columns == null || columns.isEmpty() ? null : columns.toArray(byte[][]::new);
  }

  StoreCache rows() {
    return rows;
  }

  /**
   * A fill by a read, to be made before its files are chosen. If another Get fetches the row of
   * this Get, waits for that one.
   *
   * @return null if there was another
   */
  CacheFill fill(Scan scan) {
    return scan.isGetScan() ? fill(scan.getStartRow()) : new ScanFill(this, rows.ticket(), null);
  }

  private RowFill fill(byte[] row) {
    ByteBuffer key = ByteBuffer.wrap(row);
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> others = filling.putIfAbsent(key, mine);
    if (others == null) {
      mine.thenRun(() -> filling.remove(key, mine));
      return new RowFill(this, row, rows.ticket(), mine);
    }
    try {
      others.get(longestWaitMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Then this Get asks for itself.
      LOG.debug("The Get that fetches a row of {} is late", store, e);
    }
    return null;
  }

  /** Takes note of a cell that is about to be in the memstore. */
  void written(Cell cell) {
    if (markers.add(cell)) {
      rows.dropTrimmed(CellUtil.cloneRow(cell));
    }
  }

  /** Puts a row into the cache. */
  void put(Ticket ticket, byte[] row, byte[][] columns, List<? extends Cell> cells) {
    byte[] payload = CachedRow.encode(cells);
    rows.put(ticket, row, columns, payload, 0, payload.length, isClean(cells));
  }

  boolean isClean(List<? extends Cell> cells) {
    return CachedRow.isClean(cells, store.getScanInfo());
  }

  /** What is cached otherwise than the files have it; empty if all is well. */
  List<String> faults() throws IOException {
    return new CacheCheck(store, this, EnvironmentEdgeManager.currentTime()).faults();
  }

  CacheStats stats() {
    return rows.stats();
  }

  @Override
  public void close() {
    rows.close();
  }

  @Override
  public String toString() {
    return rows.name();
  }

  /** A change of the store's files. From its beginning to its end no fill lands. */
  static final class FileChange implements AutoCloseable {
    private final CachedStore cache;
    private final Change change;

    /**
     * @param cache null: nothing to be told
     */
    FileChange(CachedStore cache) {
      this.cache = cache;
      this.change = cache == null ? null : cache.rows.change();
    }

    /** The files get what a flush wrote. */
    void flushed(CapturingFlusher.Written written) {
      if (change == null) {
        return;
      }
      boolean trims = CompactionHooks.of(cache.store).isEmpty();
      List<ExtendedCell> cells = written.cells();
      int from = 0;
      while (from < cells.size()) {
        int to = from + 1;
        while (to < cells.size() && CellUtil.matchingRows(cells.get(from), cells.get(to))) {
          to++;
        }
        List<ExtendedCell> ofRow = cells.subList(from, to);
        change.merge(
            CellUtil.cloneRow(ofRow.get(0)),
            new FlushedRow(cache, ofRow, written.sequenceId(), trims));
        from = to;
      }
    }

    /** The files get others beside them, with any cells. */
    void overwritten(Collection<HStoreFile> files) {
      if (change == null) {
        return;
      }
      for (HStoreFile file : files) {
        Optional<Cell> first = file.getFirstKey();
        Optional<Cell> last = file.getLastKey();
        if (first.isPresent() && last.isPresent()) {
          // From the first row up to the row right behind the last.
          change.dropRange(
              CellUtil.cloneRow(first.get()),
              Bytes.add(CellUtil.cloneRow(last.get()), new byte[1]));
        }
      }
    }

    /** The files hold the same as before, but for what a compaction drops. */
    void compacted() {
      if (change == null) {
        return;
      }
      if (!CompactionHooks.of(cache.store).isEmpty()) {
        change.dropAll();
      } else {
        cache.rows.compacted();
      }
    }

    /** The files hold anything. */
    void replaced() {
      if (change != null) {
        change.dropAll();
      }
    }

    @Override
    public void close() {
      if (change != null) {
        change.close();
      }
    }
  }

  /**
   * Adds to a cached row what a flush wrote of it, and leaves out the versions that this hides.
   *
   * @param sequenceId of the flush
   * @param trims whether versions may be left out
   */
  private record FlushedRow(
      CachedStore cache, List<ExtendedCell> cells, long sequenceId, boolean trims)
      implements Merge {
    @Override
    public Merged merge(byte[][] columns, ByteBuffer present, int offset, int length) {
      List<ExtendedCell> more =
          columns == null ? cells : cells.stream().filter(cell -> isOf(cell, columns)).toList();
      List<ExtendedCell> merged =
          CachedRow.merge(
              new CachedRow.Reader(present, offset, length, Long.MAX_VALUE),
              more,
              cache.store.getComparator());
      List<ExtendedCell> kept = merged;
      if (trims && !cache.markers.mayBeInMemstore(sequenceId)) {
        kept =
            CachedRow.trim(merged, cache.store.getScanInfo(), cache.store.getSmallestReadPoint());
      }
      return new Merged(CachedRow.encode(kept), cache.isClean(kept), kept != merged);
    }

    // A marker of the whole family goes with every column.
    private static boolean isOf(Cell cell, byte[][] columns) {
      return CellUtil.isDelete(cell)
          || Arrays.binarySearch(columns, CellUtil.cloneQualifier(cell), Bytes.BYTES_COMPARATOR)
              >= 0;
    }
  }
}
