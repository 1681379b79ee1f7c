package org.apache.hadoop.hbase.regionserver;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.memstore.KeySample;
import io.ishbase.core.memstore.MemstorePolicy;
import io.ishbase.core.memstore.MemstorePolicy.Pipeline;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.exceptions.IllegalArgumentIOException;
import org.apache.hadoop.hbase.exceptions.UnexpectedStateException;
import org.apache.hbase.thirdparty.io.netty.util.IllegalReferenceCountException;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HBase's {@link CompactingMemStore} with a policy that changes its mind: how large the active
 * segment is and what an in-memory flush leads to is {@link MemstorePolicy}'s to say. Segments,
 * their lists and their locks are HBase's.
 *
 * <p>It lives in HBase's package for the active segment and the pool of in-memory compactions.
 * Relies on HBase 2.6: a segment takes no update after {@link Segment#waitForUpdates}, so the size
 * at which one is flushed may change while writers hold it.
 */
@NullMarked
public final class AutoMemStore extends CompactingMemStore {
  private static final Logger LOG = LoggerFactory.getLogger(AutoMemStore.class);

  /** HBase's own size of the active segment is in no one's way. */
  public static final double NO_THRESHOLD = 1e6;

  /** Chosen: cells of 100 bytes in a skip list. */
  private static final double ASSUMED_SHARE_OF_CELLS = 0.5;

  private static final double LEAST_SHARE_OF_CELLS = 0.1;

  /** Chosen: of the limit of all memstores, which merges may take beside it. */
  private static final double COPIED_SHARE = 0.125;

  /** Less of cells says little of their share. */
  private static final long LEAST_LEARNED_BYTES = 16 << 10;

  /**
   * Large, so that bytes do not run into each other: by HBase's 31 a thousand binary numbers have
   * some 350 hashes.
   */
  private static final long HASH = 0x9E37_79B9_7F4A_7C15L;

  /** How often a reader looks which segments there are: twice is nearly always enough. */
  private static final int MOST_TRIES = 1000;

  /** Of a step that is told to end when the store closes. */
  private static final long LONGEST_CLOSE_NANOS = 10_000_000_000L;

  private static final long POLL_NANOS = 1_000_000;

  /** Whether it was said: a pool of no threads, or one that has been closed. */
  private static final AtomicBoolean IS_WITHOUT_THREADS = new AtomicBoolean();

  /** Null while HBase's constructor runs. */
  private final @Nullable MemstorePolicy policy;

  private final KeySample sample;
  private final LongAdder reads = new LongAdder();

  /** Of cells that surely fit into a chunk: one more takes another. */
  private final long bytesOfChunk;

  /** Guards the writes of {@code activeBytes}: what was seen last is what stays. */
  private final Object resizing = new Object();

  private volatile long activeBytes = Long.MAX_VALUE;

  /** Of the memory that an active segment takes, the part of its cells' keys and values. */
  private volatile double shareOfCells = ASSUMED_SHARE_OF_CELLS;

  /** Is about to become what is in the pipeline; null: none is. */
  private final AtomicReference<@Nullable MutableSegment> leaving = new AtomicReference<>();

  private volatile boolean isReplaying;

  /** Whether a segment has come to the pipeline since the policy was asked. */
  private volatile boolean isStepDue;

  /**
   * Then no step begins: HBase's snapshot bears one change of the pipeline while it takes all, and
   * loses what it took at the second.
   */
  private volatile boolean isTakingSnapshot;

  private long newestFile;

  /** As HBase's store calls it; {@code policy} is what HBase would do, and is not followed. */
  public AutoMemStore(
      Configuration conf,
      CellComparator comparator,
      HStore store,
      RegionServicesForStores region,
      MemoryCompactionPolicy policy)
      throws IOException {
    this(conf, comparator, store, region, System::nanoTime);
  }

  AutoMemStore(
      Configuration conf,
      CellComparator comparator,
      HStore store,
      RegionServicesForStores region,
      LongSupplier clock)
      throws IOException {
    super(conf, comparator, store, region, MemoryCompactionPolicy.BASIC);
    long chunk = conf.getLong(MemStoreLAB.CHUNK_SIZE_KEY, MemStoreLAB.CHUNK_SIZE_DEFAULT);
    this.bytesOfChunk = chunk - chunk / 16;
    this.sample = new KeySample(Math.max(1, store.getColumnFamilyDescriptor().getMaxVersions()));
    this.policy = new MemstorePolicy(clock, sample);
    harmlessly(this::resize);
  }

  @Override
  protected MemStoreCompactor createMemStoreCompactor(MemoryCompactionPolicy ignored)
      throws IllegalArgumentIOException {
    return new PolicyMemStoreCompactor(this);
  }

  MemstorePolicy policy() {
    return requireNonNull(policy, "nobody asks before the first write");
  }

  /** What the memstore holds but for its active segment. */
  Pipeline pipeline(VersionedSegmentsList segments) {
    long bytes = 0;
    for (Segment segment : segments.getStoreSegments()) {
      bytes += segment.getDataSize();
    }
    return new Pipeline(fill(0), segments.getNumOfSegments(), segments.getNumOfCells(), bytes);
  }

  /** What merges of data may hold at once, in bytes, of all memstores of the server. */
  long mostCopiedBytes() {
    RegionServerServices server = getStore().getHRegion().getRegionServerServices();
    return server == null
        ? Long.MAX_VALUE
        : (long) (COPIED_SHARE * MemstoreMemory.limitBytes(server));
  }

  /** Reads since the last call. */
  long reads() {
    return reads.sumThenReset();
  }

  @Override
  public List<KeyValueScanner> getScanners(long readPoint) throws IOException {
    reads.increment();
    return scanners(segments(), readPoint);
  }

  /** What a reader has to look at. */
  private List<Segment> segments() {
    // First the active one: else it could move to the pipeline after that was looked at.
    Segment active = getActive();
    List<Segment> segments = getSegments();
    if (!segments.contains(active)) {
      segments.add(active);
    }
    return segments;
  }

  /**
   * Scanners of {@code seen}, or of what is there now if a merge of data has closed one of them
   * meanwhile: HBase's own would fail the reader, or the flush that gives scanners to a reader.
   */
  List<KeyValueScanner> scanners(List<Segment> seen, long readPoint) {
    List<Segment> segments = seen;
    for (int tries = 1; ; tries++) {
      List<KeyValueScanner> scanners = new ArrayList<>(segments.size());
      try {
        addScanners(segments, readPoint, scanners);
        return scanners;
      } catch (IllegalReferenceCountException e) {
        scanners.forEach(KeyValueScanner::close);
        if (tries == MOST_TRIES) {
          throw e;
        }
        // Whoever closes segments holds the pipeline's lock until they are replaced: waits for it.
        getImmutableSegments();
        segments = segments();
      }
    }
  }

  /**
   * As HBase's {@code addToScanners}, but of two equal cells that of the newer segment comes first.
   * Cells of one batch have one timestamp and one sequence id, and if one is written twice the
   * segment may have left in between.
   *
   * @param segments the newest first
   */
  private static void addScanners(
      List<? extends Segment> segments, long readPoint, List<KeyValueScanner> scanners) {
    int rank = segments.size();
    for (Segment segment : segments) {
      rank--;
      if (!segment.isEmpty()) {
        scanners.add(new Scanner(segment, readPoint, rank));
      }
    }
  }

  /** Scanners of all cells of segments, the newest first. */
  static List<KeyValueScanner> scannersOf(List<? extends Segment> segments) {
    List<KeyValueScanner> scanners = new ArrayList<>(segments.size());
    try {
      addScanners(segments, Long.MAX_VALUE, scanners);
    } catch (RuntimeException e) {
      // A flush has closed one of them: the others' memory must not stay with who reads nothing.
      scanners.forEach(KeyValueScanner::close);
      throw e;
    }
    return scanners;
  }

  /** Of a segment of a rank: the newest has the highest. */
  private static final class Scanner extends SegmentScanner {
    private final int rank;

    Scanner(Segment segment, long readPoint, int rank) {
      super(segment, readPoint);
      this.rank = rank;
    }

    @Override
    public long getScannerOrder() {
      return rank;
    }
  }

  /** A segment for HBase's iterators, which take the scanners of a list of segments. */
  static final class Ranked extends ImmutableSegment {
    private final Segment segment;
    private final int rank;
    private @Nullable KeyValueScanner scanner;

    private Ranked(Segment segment, int rank) {
      super(segment);
      this.segment = segment;
      this.rank = rank;
    }

    /** Those of a list, the newest first. */
    static List<ImmutableSegment> of(List<ImmutableSegment> segments) {
      List<ImmutableSegment> ranked = new ArrayList<>(segments.size());
      for (ImmutableSegment segment : segments) {
        ranked.add(new Ranked(segment, segments.size() - ranked.size()));
      }
      return ranked;
    }

    @Override
    protected KeyValueScanner getScanner(long readPoint) {
      scanner = new Scanner(segment, readPoint, rank);
      return scanner;
    }

    /** Closes what an iterator was given that could not be made. */
    static void giveUp(List<ImmutableSegment> ranked) {
      for (ImmutableSegment each : ranked) {
        KeyValueScanner given = ((Ranked) each).scanner;
        if (given != null) {
          given.close();
        }
      }
    }

    @Override
    protected boolean canBeFlattened() {
      return false;
    }

    @Override
    protected long indexEntrySize() {
      throw new IllegalStateException("Only its cells are read");
    }
  }

  /** A snapshot whose scanners are ranked. */
  private static final class RankedSnapshot extends MemStoreSnapshot {
    private final List<Segment> segments;

    RankedSnapshot(long id, ImmutableSegment snapshot) {
      super(id, snapshot);
      this.segments = snapshot.getAllSegments();
    }

    @Override
    public List<KeyValueScanner> getScanners() {
      List<KeyValueScanner> scanners = new ArrayList<>(segments.size());
      for (Segment segment : segments) {
        int rank = segments.size() - scanners.size();
        scanners.add(
            new SnapshotSegmentScanner((ImmutableSegment) segment) {
              @Override
              public long getScannerOrder() {
                return rank;
              }
            });
      }
      return scanners;
    }
  }

  @Override
  public void startReplayingFromWAL() {
    isReplaying = true;
    super.startReplayingFromWAL();
  }

  @Override
  public void stopReplayingFromWAL() {
    isReplaying = false;
    super.stopReplayingFromWAL();
  }

  @Override
  protected boolean checkAndAddToActiveSize(
      MutableSegment segment, Cell cell, MemStoreSizing sizing) {
    if (cell.getTagsLength() > 0) {
      // The segment may leave before the cell is in it; what it becomes then copies this, and a
      // flush writes no tags without it. So first that it has them, then whether it leaves.
      segment.tagsPresent = true;
      VarHandle.fullFence();
    }
    // A writer may be so late that the segment has left, and more would fit into the next one.
    boolean isAdded =
        segment == getActive()
            && segment != leaving.get()
            && (isReplaying || segment.getDataSize() <= activeBytes)
            && super.checkAndAddToActiveSize(segment, cell, sizing);
    if (isAdded) {
      sample.add(column(cell));
    }
    if (!isReplaying && segment.getDataSize() > activeBytes) {
      flushInMemoryOnce(segment);
    }
    return isAdded;
  }

  /** The same for cells of which a newer one hides an older; a merge keeps each delete. */
  private static long column(Cell cell) {
    long column;
    if (cell instanceof ByteBufferExtendedCell inBuffer) {
      column = hash(0, inBuffer.getRowByteBuffer(), inBuffer.getRowPosition(), cell.getRowLength());
      column =
          hash(
              column,
              inBuffer.getQualifierByteBuffer(),
              inBuffer.getQualifierPosition(),
              cell.getQualifierLength());
    } else {
      column = hash(0, cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
      column =
          hash(
              column,
              cell.getQualifierArray(),
              cell.getQualifierOffset(),
              cell.getQualifierLength());
    }
    return CellUtil.isDelete(cell) ? HASH * column + cell.getTimestamp() : column;
  }

  private static long hash(long before, byte[] bytes, int offset, int length) {
    long hash = HASH * before + length;
    for (int i = offset; i < offset + length; i++) {
      hash = HASH * hash + bytes[i];
    }
    return hash;
  }

  private static long hash(long before, ByteBuffer bytes, int offset, int length) {
    long hash = HASH * before + length;
    for (int i = offset; i < offset + length; i++) {
      hash = HASH * hash + bytes.get(i);
    }
    return hash;
  }

  private void flushInMemoryOnce(MutableSegment segment) {
    if (segment.setInMemoryFlushed()) {
      leaving.set(segment);
      try {
        VarHandle.fullFence();
        learnShareOfCells(segment);
        flushInMemory(segment);
      } finally {
        // The next one may be leaving already.
        leaving.compareAndSet(segment, null);
      }
      isStepDue = true;
      beginStepIfDue();
    }
  }

  private void beginStepIfDue() {
    if (isStepDue && !isTakingSnapshot && setInMemoryCompactionFlag()) {
      if (isTakingSnapshot) {
        // It began in between, and may have looked for steps to stop before this one was seen.
        setInMemoryCompactionCompleted();
        return;
      }
      try {
        regionServices.getInMemoryCompactionPool().execute(this::inMemoryCompaction);
      } catch (RuntimeException e) {
        setInMemoryCompactionCompleted();
        if (IS_WITHOUT_THREADS.compareAndSet(false, true)) {
          LOG.warn("Memstores are not compacted in memory: no thread takes it on", e);
        }
      }
    }
  }

  /** The policy is asked now: what comes to the pipeline from here on it may not see. */
  void stepBegins() {
    isStepDue = false;
  }

  /** What was chosen is done. */
  void stepEnded() {
    setInMemoryCompactionCompleted();
    // How much room there is now, and whether there is more to merge, only this step could tell.
    harmlessly(this::resize);
    harmlessly(this::beginStepIfDue);
  }

  private void learnShareOfCells(MutableSegment active) {
    long cells = active.getDataSize();
    if (cells >= LEAST_LEARNED_BYTES) {
      // HBase counts the memory of a cell after its bytes.
      double share = cells / Math.max(1.0, active.getHeapSize() + active.getOffHeapSize());
      shareOfCells = Math.max(LEAST_SHARE_OF_CELLS, Math.min(1, share));
    }
  }

  @Override
  protected void resetActive() {
    super.resetActive();
    if (policy != null) {
      harmlessly(this::resize);
    }
  }

  /**
   * Takes a step of ours in the middle of HBase's writes and flushes, which cannot go back: one
   * that fails while a flush is committed would abort the region server.
   */
  private void harmlessly(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.warn("The memstore of {} goes on without knowing all of what it does", getStore(), e);
    }
  }

  /** Chooses anew how large the active segment is, which may hold something already. */
  private void resize() {
    long capacity =
        regionServices.getMemStoreFlushSize() / Math.max(1, regionServices.getNumStores());
    synchronized (resizing) {
      Segment active = getActive();
      double fill = fill(active.getHeapSize() + active.getOffHeapSize());
      long bytes = policy().activeBytes(fill, (long) (capacity * shareOfCells), bytesOfChunk);
      // What a segment's last chunk has left nobody uses, and nobody counts.
      activeBytes = bytes < bytesOfChunk ? bytes : bytes - bytes % bytesOfChunk;
    }
  }

  /**
   * Of the memory that makes the region flush, or the server, without what is on its way.
   *
   * @param without so many bytes of the region's
   */
  private double fill(long without) {
    HRegion region = getStore().getHRegion();
    RegionServerServices server = region.getRegionServerServices();
    long held = -without;
    for (HStore store : region.getStores()) {
      MemStoreSize size = store.getMemStoreSize();
      held += size.getHeapSize() + size.getOffHeapSize();
    }
    double ofRegion = (double) held / Math.max(1, regionServices.getMemStoreFlushSize());
    return Math.max(ofRegion, server == null ? 0 : Math.min(1, server.getFlushPressure()));
  }

  @Override
  public MemStoreSnapshot snapshot() {
    boolean isPending = !getSnapshot().isEmpty();
    if (!isPending) {
      closeEmptySnapshot();
      // Cells may have become smaller: memory is short before the segment is as large as it may be.
      harmlessly(() -> learnShareOfCells(getActive()));
    }
    isTakingSnapshot = true;
    MemStoreSnapshot snapshot;
    try {
      snapshot = new RankedSnapshot(super.snapshot().getId(), getSnapshot());
      if (!isMemStoreFlushingInMemory()) {
        // A stop that came too late would end the next life's first step.
        ((PolicyMemStoreCompactor) compactor).forgetStop();
      }
    } finally {
      isTakingSnapshot = false;
    }
    if (!isPending) {
      harmlessly(
          () -> {
            policy().flushing(snapshot.getCellsCount(), snapshot.getDataSize(), reads());
            resize();
          });
    }
    return snapshot;
  }

  /**
   * What the pipeline has goes back to the pools as well: a region that is read only, or that is
   * aborted, closes without a flush, and HBase's own closes the active segment alone.
   */
  @Override
  public void close() {
    // No step begins from here on, and one that is under way ends soon.
    isTakingSnapshot = true;
    compactor.stop();
    long start = System.nanoTime();
    while (isMemStoreFlushingInMemory() && System.nanoTime() - start < LONGEST_CLOSE_NANOS) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    super.close();
    if (!isMemStoreFlushingInMemory()) {
      getImmutableSegments().getStoreSegments().forEach(Segment::close);
    }
    closeEmptySnapshot();
  }

  /**
   * Of a merge that left no cell the index has chunks. A flush writes no file of it, and then HBase
   * does not clear the snapshot. Closing it again does nothing.
   */
  private void closeEmptySnapshot() {
    if (getSnapshot().isEmpty()) {
      getSnapshot().close();
    }
  }

  @Override
  public void clearSnapshot(long id) throws UnexpectedStateException {
    boolean isFlushed = !getSnapshot().isEmpty();
    super.clearSnapshot(id);
    if (isFlushed) {
      harmlessly(() -> policy().flushed(cellsWritten(), rewrites()));
    }
  }

  /** Cells of what the last flush brought; -1: unknown. */
  private long cellsWritten() {
    long newest = newestFile;
    long cells = -1;
    for (HStoreFile file : getStore().getStorefiles()) {
      StoreFileReader reader = file.getReader();
      if (reader == null || file.isBulkLoadResult() || file.getMaxSequenceId() < newest) {
        continue;
      }
      if (file.getMaxSequenceId() > newest) {
        newest = file.getMaxSequenceId();
        cells = 0;
      }
      if (cells >= 0) {
        cells += reader.getEntries();
      }
    }
    newestFile = newest;
    return cells;
  }

  private double rewrites() {
    HStore store = getStore();
    long flushed = store.getFlushedCellsSize();
    return flushed == 0
        ? -1
        : (double) (store.getCompactedCellsSize() + store.getMajorCompactedCellsSize()) / flushed;
  }
}
