package org.apache.hadoop.hbase.regionserver;

import io.ishbase.core.memstore.MemstorePolicy;
import io.ishbase.core.memstore.MemstorePolicy.Pipeline;
import io.ishbase.plugin.hbase.CompactionHooks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.exceptions.IllegalArgumentIOException;
import org.apache.hadoop.hbase.regionserver.MemStoreCompactionStrategy.Action;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does after an in-memory flush what {@link MemstorePolicy} says, with HBase's segments, and tells
 * it what that took. One thread at a time calls {@link #start}; a flush to disk calls {@link #stop}
 * and takes the segments, whose list then has another version.
 */
@NullMarked
final class PolicyMemStoreCompactor extends MemStoreCompactor {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyMemStoreCompactor.class);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Of all memstores of the process. */
  private static final Copies COPIES = new Copies();

  private final AutoMemStore memstore;
  private final int batch;

  /** By the merge of data that was last; of the thread that does it alone. */
  private long cellsLeft;

  private volatile boolean isStopped;

  PolicyMemStoreCompactor(AutoMemStore memstore) throws IllegalArgumentIOException {
    super(memstore, MemoryCompactionPolicy.BASIC);
    this.memstore = memstore;
    this.batch =
        memstore
            .getConfiguration()
            .getInt(HConstants.COMPACTION_KV_MAX, HConstants.COMPACTION_KV_MAX_DEFAULT);
  }

  @Override
  public String toString() {
    return "auto";
  }

  @Override
  public boolean start() throws IOException {
    HStore store = memstore.getStore();
    RegionCoprocessorHost hooks = store.getCoprocessorHost();
    try {
      memstore.stepBegins();
      if (!memstore.hasImmutableSegments()) {
        return true;
      }
      if (hooks != null) {
        hooks.preMemStoreCompaction(store);
      }
      try {
        step(memstore.getImmutableSegments());
      } finally {
        if (hooks != null) {
          hooks.postMemStoreCompaction(store);
        }
      }
      return true;
    } catch (RuntimeException e) {
      // Nothing is lost: the segments are there as they were, and a flush takes them.
      LOG.warn("In-memory compaction of {} failed, its memstore stays as it is", store, e);
      return true;
    } finally {
      isStopped = false;
      // Lowers HBase's flag. The caller does so after false: twice would let two begin at once.
      memstore.stepEnded();
    }
  }

  @Override
  public void stop() {
    isStopped = true;
  }

  /** No step is under way that should stop. */
  void forgetStop() {
    isStopped = false;
  }

  @Override
  public void resetStats() {
    // The policy hears of the flush from the memstore.
  }

  private void step(VersionedSegmentsList list) throws IOException {
    for (ImmutableSegment segment : list.getStoreSegments()) {
      segment.waitForUpdates();
    }
    if (isStopped) {
      return;
    }
    MemstorePolicy policy = memstore.policy();
    Pipeline pipeline = memstore.pipeline(list);
    // HBase may load a region's coprocessors anew: so each time.
    boolean mayCopy =
        !CompactionHooks.mayKeepWhatMergesDrop(memstore.getStore())
            && COPIES.begin(pipeline.bytes(), memstore.mostCopiedBytes());
    MemstorePolicy.Step step;
    try {
      step = policy.next(pipeline, memstore.reads(), mayCopy);
      if (step == MemstorePolicy.Step.COMPACT) {
        compact(list, policy, pipeline);
      }
    } finally {
      if (mayCopy) {
        COPIES.end(pipeline.bytes());
      }
    }
    long begun = workNanos();
    switch (step) {
      case NOTHING, COMPACT -> {}
      case FLATTEN -> {
        long cells = flattenable(list);
        memstore.flattenOneSegment(list.getVersion(), Action.FLATTEN);
        policy.flattened(cells, workNanos() - begun);
      }
      case MERGE -> {
        ImmutableSegment all = merged(list);
        if (all != null && replace(list, all, true)) {
          policy.merged(pipeline.cells(), workNanos() - begun);
        }
      }
    }
    LOG.debug("{} of {}: {}, {}", step, memstore.getFamilyName(), pipeline, policy);
  }

  private void compact(VersionedSegmentsList list, MemstorePolicy policy, Pipeline pipeline)
      throws IOException {
    long begun = workNanos();
    ImmutableSegment left = compacted(list);
    if (left == null || !replace(list, left, false)) {
      policy.cut(cellsLeft);
    } else {
      policy.compacted(pipeline.cells(), left.getCellsCount(), workNanos() - begun);
    }
  }

  /** Of this thread: on busy processors a merge takes longer, but is no more work. */
  private static long workNanos() {
    return THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled()
        ? THREADS.getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /** Cells of the segment that a flattening takes: the newest that can be. */
  private static long flattenable(VersionedSegmentsList list) {
    for (ImmutableSegment segment : list.getStoreSegments()) {
      if (segment.canBeFlattened() && !segment.isEmpty()) {
        return segment.getCellsCount();
      }
    }
    return 0;
  }

  /** Null: a flush to disk came between. */
  private @Nullable ImmutableSegment merged(VersionedSegmentsList list) throws IOException {
    List<ImmutableSegment> segments = list.getStoreSegments();
    try (Stoppable cells =
        new Stoppable(new Merged(AutoMemStore.scannersOf(segments)), Integer.MAX_VALUE)) {
      ImmutableSegment result =
          SegmentFactory.instance()
              .createImmutableSegmentByMerge(
                  memstore.getConfiguration(),
                  memstore.getComparator(),
                  cells,
                  list.getNumOfCells(),
                  segments,
                  memstore.getIndexType(),
                  Action.MERGE);
      // Not closed: it shares its chunks with the segments that stay.
      return cells.isCut ? null : result;
    }
  }

  private MemStoreCompactorSegmentsIterator compacting(List<ImmutableSegment> segments)
      throws IOException {
    List<ImmutableSegment> ranked = AutoMemStore.Ranked.of(segments);
    try {
      return new MemStoreCompactorSegmentsIterator(
          ranked, memstore.getComparator(), batch, memstore.getStore());
    } catch (RuntimeException e) {
      AutoMemStore.Ranked.giveUp(ranked);
      throw e;
    }
  }

  /** Null: a flush to disk came between. */
  private @Nullable ImmutableSegment compacted(VersionedSegmentsList list) throws IOException {
    List<ImmutableSegment> segments = list.getStoreSegments();
    ImmutableSegment result = compacted(list, compacting(segments), Integer.MAX_VALUE);
    if (result == null || result.getCellsCount() > 0) {
      return result;
    }
    // HBase does not flush a region whose memstore has no cell: its log would be kept for ever.
    result.close();
    return compacted(list, new Merged(AutoMemStore.scannersOf(segments)), 1);
  }

  private @Nullable ImmutableSegment compacted(
      VersionedSegmentsList list, MemStoreSegmentsIterator of, int most) throws IOException {
    try (Stoppable cells = new Stoppable(of, most)) {
      ImmutableSegment result =
          SegmentFactory.instance()
              .createImmutableSegmentByCompaction(
                  memstore.getConfiguration(),
                  memstore.getComparator(),
                  cells,
                  list.getNumOfCells(),
                  memstore.getIndexType(),
                  Action.COMPACT);
      cellsLeft = result.getCellsCount();
      if (cells.isCut) {
        result.close();
        return null;
      }
      return result;
    }
  }

  /**
   * Whether {@code result} has taken the place of the segments, unless a flush has taken them. The
   * WAL, which HBase tells now what the oldest cell is, hears of it from the flush: an older one
   * may be on its way to the memstore.
   */
  private boolean replace(VersionedSegmentsList list, ImmutableSegment result, boolean isMerge) {
    boolean isReplaced = !isStopped && memstore.swapCompactedSegments(list, result, isMerge);
    if (!isReplaced && !isMerge) {
      // Merged segments share their chunks with those that stay, compacted ones have their own.
      result.close();
    }
    return isReplaced;
  }

  /**
   * What merges of data hold beside the segments that they replace, which no limit of memstores
   * counts. One is always admitted.
   */
  static final class Copies {
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Whether a merge may begin.
     *
     * @param most for all of them
     */
    boolean begin(long more, long most) {
      while (true) {
        long held = bytes.get();
        if (held > 0 && held + more > most) {
          return false;
        }
        if (bytes.compareAndSet(held, held + more)) {
          return true;
        }
      }
    }

    void end(long less) {
      bytes.addAndGet(-less);
    }
  }

  /** All cells of segments, each once. */
  private final class Merged extends MemStoreSegmentsIterator {
    private final KeyValueHeap cells;

    Merged(List<KeyValueScanner> segments) throws IOException {
      super(batch);
      this.cells = new KeyValueHeap(segments, memstore.getComparator());
    }

    @Override
    public boolean hasNext() {
      return cells.peek() != null;
    }

    @Override
    public @Nullable Cell next() {
      try {
        Cell newest = cells.next();
        while (isSame(newest, cells.peek())) {
          cells.next();
        }
        return newest;
      } catch (IOException e) {
        throw new UncheckedIOException("In memory", e);
      }
    }

    /** Whether a batch has written a cell twice. */
    private boolean isSame(@Nullable Cell cell, @Nullable Cell next) {
      return cell != null && next != null && memstore.getComparator().compare(cell, next) == 0;
    }

    @Override
    public void close() {
      cells.close();
    }
  }

  /** Cells until a flush to disk wants the segments: what is made of them then is thrown away. */
  private final class Stoppable extends MemStoreSegmentsIterator implements AutoCloseable {
    private final MemStoreSegmentsIterator cells;

    /** Whether there were more: what is made of them must not be used. */
    private boolean isCut;

    private int left;

    /**
     * @param most so many of them
     */
    Stoppable(MemStoreSegmentsIterator cells, int most) throws IOException {
      super(batch);
      this.cells = cells;
      this.left = most;
    }

    @Override
    public boolean hasNext() {
      isCut |= isStopped;
      return !isCut && left > 0 && cells.hasNext();
    }

    @Override
    public @Nullable Cell next() {
      left--;
      return cells.next();
    }

    @Override
    public void close() {
      cells.close();
    }
  }
}
