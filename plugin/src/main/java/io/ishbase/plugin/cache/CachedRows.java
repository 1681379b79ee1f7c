package io.ishbase.plugin.cache;

import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.cache.Change;
import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.plugin.scan.WantedColumns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;
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
public final class CachedRows implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CachedRows.class);

  /** A fill under way, by row: who wants the same row waits for it. */
  private final ConcurrentHashMap<ByteBuffer, CompletableFuture<Void>> filling =
      new ConcurrentHashMap<>();

  private final HStore store;
  private final StoreCache rows;
  private final RowCodec codec;
  private final Set<Class<?>> plainCompactors;
  private final CacheVisibility visibility;
  private final VersionMarkers markers = new VersionMarkers();
  private final LongSlices longSlices = new LongSlices();
  private final long longestWaitMillis;

  /** The store's files when the region was given other coprocessors. */
  private volatile Set<Path> earlierFiles = Set.of();

  /** Of null: nobody watches. */
  private final AtomicReference<@Nullable FlushedRows> watched = new AtomicReference<>();

  /**
   * @param plainCompactors the compactors by which HBase's rules alone decide what is kept
   * @param longestWaitMillis of a Get, for another that fetches its row
   */
  public CachedRows(
      HStore store,
      StoreCache rows,
      RowCodec codec,
      Set<Class<?>> plainCompactors,
      long longestWaitMillis) {
    this.store = store;
    this.rows = rows;
    this.codec = codec;
    this.plainCompactors = plainCompactors;
    this.visibility =
        new CacheVisibility(
            store.getScanInfo(),
            store.getColumnFamilyDescriptor().isBlockCacheEnabled(),
            rows,
            codec);
    this.longestWaitMillis = longestWaitMillis;
  }

  /**
   * A read's view of what is cached, to be made before its files are chosen.
   *
   * @param rules the family's, or what a coprocessor made of them for this read
   */
  public CacheVisibility.Reader reader(Scan scan, ScanInfo rules, long readPoint) {
    visibility.startOverIfFarAhead(this::forget);
    return visibility.reader(scan, rules, readPoint);
  }

  /**
   * The row of a Get, if the cache has all that the Get can see.
   *
   * @param columns that it has to do with; null: all
   * @return null if it has not
   */
  public @Nullable CachedRowScanner get(
      CacheVisibility.Reader reader, byte[] row, @Nullable Columns columns) {
    CachedRow.Cells cells = reader.find(row, columns);
    if (cells == null) {
      return null;
    }
    try {
      return new CachedRowScanner(cells, store);
    } catch (RuntimeException e) {
      reader.dropUnreadable(row, e);
      return null;
    }
  }

  /** Whether what a plain read fetches goes into the cache. */
  public boolean mayFill() {
    return reader(new Scan(), store.getScanInfo(), Long.MAX_VALUE).mayFill();
  }

  /** Whether a row is cached as a whole. */
  public boolean covers(byte[] row) {
    return rows.covers(row, null);
  }

  public StoreCache rows() {
    return rows;
  }

  RowCodec codec() {
    return codec;
  }

  /**
   * A fill by a read. If another Get fetches the row of this Get, waits for that one.
   *
   * @param slice the columns to which the filter of a Get keeps; null: it does not
   * @param maxBatchBytes of an answer of a storage node
   * @return null if there was another
   */
  public @Nullable ReadFill fill(
      CacheVisibility.Reader reader, Scan scan, @Nullable WantedColumns slice, int maxBatchBytes) {
    // A cell counts for less than twice what it takes in an answer.
    return scan.isGetScan()
        ? fill(reader.ticket(), scan.getStartRow(), slice)
        : new ScanFill(
            rows,
            codec,
            this::isClean,
            reader.ticket(),
            null,
            2L * Math.max(maxBatchBytes, rows.maxRowBytes()));
  }

  /**
   * A fill of rows one after the other, which one storage node brings.
   *
   * @param advised what the cache asked for; null if it is a client's scan
   */
  public ScanFill scanFill(Ticket ticket, @Nullable Stretch advised) {
    return new ScanFill(rows, codec, this::isClean, ticket, advised, 0);
  }

  /**
   * A fill by a Get of a whole row that HBase reads. If another Get fetches the row, waits for that
   * one.
   *
   * @return null if there was another
   */
  public @Nullable RowFill rowFill(CacheVisibility.Reader reader, byte[] row) {
    return fill(reader.ticket(), row, null);
  }

  private @Nullable RowFill fill(Ticket ticket, byte[] row, @Nullable WantedColumns slice) {
    ByteBuffer key = ByteBuffer.wrap(row);
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> others = filling.putIfAbsent(key, mine);
    if (others == null) {
      mine.thenRun(() -> filling.remove(key, mine));
      return slice == null
          ? new RowFill(this, row, null, () -> {}, ticket, mine)
          : new RowFill(
              this,
              row,
              slice.columns(),
              () -> longSlices.add(LongSlices.hash(row, slice)),
              ticket,
              mine);
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

  /**
   * Whether such a Get of the row has found more in its slice than is fetched to be cached.
   *
   * @param slice the columns to which its filter keeps
   */
  public boolean isTooLong(byte[] row, WantedColumns slice) {
    return longSlices.has(LongSlices.hash(row, slice));
  }

  /** Takes note of a cell that is about to be in the memstore. */
  public void written(Cell cell) {
    if (markers.add(cell)) {
      rows.dropTrimmed(CellUtil.cloneRow(cell));
    }
  }

  /**
   * Puts a row into the cache, or what it has in some columns.
   *
   * @param columns of which these are all cells; null: of all
   * @param cells of these columns, and the delete markers of the family
   */
  public void put(
      Ticket ticket, byte[] row, @Nullable Columns columns, List<? extends ExtendedCell> cells) {
    if (CachedRow.encodedBytes(cells) > rows.maxRowBytes()) {
      return;
    }
    byte[] payload = codec.encode(cells);
    rows.put(
        ticket,
        row,
        columns,
        payload,
        0,
        payload.length,
        isClean(cells),
        (others, present, offset, length) ->
            columns == null ? null : join(row, columns, cells, present, offset, length));
  }

  /** What came of some columns, and what is cached of others. */
  private Merge.@Nullable Merged join(
      byte[] row,
      Columns columns,
      List<? extends ExtendedCell> cells,
      ByteBuffer present,
      int offset,
      int length) {
    byte[] held = new byte[length];
    present.get(offset, held);
    try {
      List<ExtendedCell> rest = new ArrayList<>();
      CachedRow.Cells all = codec.cells(row, held, Long.MAX_VALUE);
      for (ExtendedCell cell = all.next(); cell != null; cell = all.next()) {
        // What came is newer, and whole where the other is trimmed.
        if (CachedRow.isOfFamily(cell) || !CachedRow.isOf(cell, columns)) {
          rest.add(cell);
        }
      }
      return merged(held, CachedRow.merge(rest, cells, store.getComparator()), false);
    } catch (RuntimeException e) {
      LOG.warn("A cached row of {} is replaced", this, e);
      return null;
    }
  }

  /**
   * A row as it is to be held now.
   *
   * @param held of it before
   * @return null if it is too large
   */
  private Merge.@Nullable Merged merged(
      byte[] held, List<? extends ExtendedCell> cells, boolean isTrimmed) {
    return CachedRow.encodedBytes(cells) > rows.maxRowBytes()
        ? null
        : new Merge.Merged(codec.encodeAgain(held, cells), isClean(cells), isTrimmed);
  }

  /** Whether others than HBase's rules decide what a compaction keeps. */
  private boolean isCompactedByOthers() {
    return !plainCompactors.contains(store.getStoreEngine().getCompactor().getClass())
        || !CompactionHooks.of(store).isEmpty();
  }

  /** Whether they do, or may have when these files began to be compacted. */
  private boolean wereCompactedByOthers(Collection<HStoreFile> files) {
    return isCompactedByOthers()
        || files.stream().map(HStoreFile::getPath).allMatch(earlierFiles::contains);
  }

  /**
   * The region has other coprocessors than before. Rows are forgotten, now and when a compaction
   * ends that may have begun with the ones before.
   */
  public void coprocessorsReplaced() {
    earlierFiles =
        store.getStorefiles().stream()
            .map(HStoreFile::getPath)
            .collect(Collectors.toUnmodifiableSet());
    forget();
  }

  boolean isClean(List<? extends Cell> cells) {
    return CachedRow.isClean(cells, store.getScanInfo());
  }

  /** What is cached otherwise than the files have it; empty if all is well. */
  public List<String> faults() throws IOException {
    return new CacheCheck(store, this, EnvironmentEdgeManager.currentTime(), System::nanoTime)
        .faults();
  }

  /** Forgets all rows. */
  public void forget() {
    longSlices.clear();
    try (FileChange change = new FileChange(this)) {
      change.replaced();
    }
  }

  /** The timestamp before which cells that had expired may be left out of what is cached. */
  long leftOutBefore() {
    return visibility.leftOutBefore();
  }

  /**
   * A fill is about to begin with rows that were trimmed when another process had the store.
   *
   * @param leftOutBefore what {@link #leftOutBefore} was there
   */
  void fillsTrimmed(long leftOutBefore) {
    visibility.leavingOut(leftOutBefore);
    // At or beyond all that hides anything in the files. Who asks with a read point of an earlier
    // process may be there already, so it is not the smallest one.
    visibility.trimming(store.getHRegion().getReadPoint(IsolationLevel.READ_COMMITTED));
  }

  /** Whether a row may be trimmed that was when another process had the store. */
  boolean mayBeTrimmed() {
    return !markers.mayBeInMemstore(0);
  }

  /** Takes note of what changes from now on of what is cached, for the last who asks. */
  public FlushedRows watch() {
    FlushedRows flushed = new FlushedRows();
    FlushedRows before = watched.getAndSet(flushed);
    if (before != null) {
      before.anyChanged();
    }
    return flushed;
  }

  public CacheStats stats() {
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
    private final @Nullable CachedRows cache;
    private final @Nullable Change change;

    /** Who watched when it began. */
    private final @Nullable FlushedRows watched;

    /**
     * @param cache null: nothing to be told
     */
    FileChange(@Nullable CachedRows cache) {
      this.cache = cache;
      this.change = cache == null ? null : cache.rows.change();
      this.watched = cache == null ? null : cache.watched.get();
    }

    private void anyChanged() {
      if (watched != null) {
        watched.anyChanged();
      }
    }

    /** The files get what a flush wrote. */
    void flushed(CapturingFlusher.Written written) {
      if (cache == null || change == null) {
        return;
      }
      Flush flush =
          new Flush(
              cache,
              written.newest(),
              !cache.isCompactedByOthers(),
              cache.store.getSmallestReadPoint());
      List<ExtendedCell> cells = written.cells();
      int from = 0;
      while (from < cells.size()) {
        int to = from + 1;
        while (to < cells.size() && CellUtil.matchingRows(cells.get(from), cells.get(to))) {
          to++;
        }
        List<ExtendedCell> ofRow = cells.subList(from, to);
        byte[] row = CellUtil.cloneRow(ofRow.get(0));
        if (watched != null) {
          watched.add(row);
        }
        change.merge(row, flush.of(row, ofRow));
        from = to;
      }
    }

    /** The files get others beside them, with any cells. */
    void overwritten(Collection<HStoreFile> files) {
      if (change == null) {
        return;
      }
      anyChanged();
      for (HStoreFile file : files) {
        // From the first row up to the row right behind the last; of an empty file there is none.
        file.getLastKey()
            .ifPresent(
                last ->
                    change.dropRange(
                        CellUtil.cloneRow(file.getFirstKey().orElseThrow()),
                        Bytes.add(CellUtil.cloneRow(last), new byte[1])));
      }
    }

    /** The files hold the same as before, but for what a compaction drops. */
    void compacted(Collection<HStoreFile> files) {
      if (cache == null || change == null) {
        return;
      }
      anyChanged();
      cache.longSlices.clear();
      if (cache.wereCompactedByOthers(files)) {
        change.dropAll();
      } else {
        change.compacted();
      }
    }

    /** The files hold anything. */
    void replaced() {
      if (change != null) {
        anyChanged();
        change.dropAll();
      }
    }

    @Override
    public void close() {
      if (cache != null && change != null) {
        FlushedRows now = cache.watched.get();
        if (now != null && now != watched) {
          // It does not know what this has changed, nor whether the files that it knows do.
          now.anyChanged();
        }
        change.close();
      }
    }
  }

  /**
   * What a flush does to cached rows: it adds what it wrote, and leaves out the versions that this
   * hides.
   *
   * @param newest sequence id up to which all is flushed
   * @param trims whether versions may be left out
   * @param smallestReadPoint of the region, before the first row was trimmed: who reads from now on
   *     sees what is hidden there
   */
  private record Flush(CachedRows cache, long newest, boolean trims, long smallestReadPoint) {

    Merge of(byte[] row, List<ExtendedCell> ofRow) {
      // Nobody else has the cache meanwhile, so a row that will not fit is not to be put together.
      long maxBytes = cache.rows.maxRowBytes();
      boolean fits = CachedRow.encodedBytes(ofRow) <= maxBytes;
      return (columns, present, offset, length) -> {
        if (columns == null && !fits) {
          return null;
        }
        byte[] held = new byte[length];
        present.get(offset, held);
        List<ExtendedCell> merged;
        try {
          merged =
              CachedRow.merge(
                  CachedRow.all(cache.codec.cells(row, held, Long.MAX_VALUE)),
                  columns == null
                      ? ofRow
                      : ofRow.stream().filter(c -> CachedRow.isOf(c, columns)).toList(),
                  cache.store.getComparator());
        } catch (RuntimeException e) {
          // A flush must not fail for it.
          LOG.warn("A cached row of {} is dropped", cache, e);
          return null;
        }
        // Where what was there before is not seen, as in a file, there may be markers.
        List<ExtendedCell> kept = length == 0 ? merged : trim(merged);
        return cache.merged(held, kept, kept != merged);
      };
    }

    private List<ExtendedCell> trim(List<ExtendedCell> cells) {
      if (!trims || cache.markers.mayBeInMemstore(newest)) {
        return cells;
      }
      List<ExtendedCell> kept = CachedRow.trim(cells, cache.store.getScanInfo(), smallestReadPoint);
      if (kept != cells) {
        cache.visibility.trimming(smallestReadPoint);
      }
      return kept;
    }
  }
}
