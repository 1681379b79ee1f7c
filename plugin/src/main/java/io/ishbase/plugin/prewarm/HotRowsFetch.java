package io.ishbase.plugin.prewarm;

import io.ishbase.core.Reason;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.WarmUpPace;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.cache.ScanFill;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.scan.RowRanges;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the rows of a store that were hot when it was closed, the hottest first, from the storage
 * node that has all of its files. Single rows go into one request together. Nothing waits for it
 * but its own thread, and whatever goes wrong ends it.
 */
final class HotRowsFetch {
  /** Reads of others wait for the line no longer than such an answer takes. */
  private static final int ANSWER_BYTES = 64 << 10;

  /** No row that can be cached needs more, whatever a daemon sends. */
  private static final int MAX_ANSWER_BYTES = 4 << 20;

  private static final int ROWS_OF_REQUEST = 256;

  /** Answers of a run of rows, which lies in one index segment. */
  private static final int MAX_ANSWERS_OF_RUN = 256;

  /** How often files may be replaced by a flush or compaction while they are read. */
  private static final int MAX_CHANGES = 8;

  private static final Comparator<HotInterval> ORDER =
      Comparator.comparingInt(HotInterval::heat)
          .reversed()
          .thenComparing(interval -> !interval.isRow())
          .thenComparing(HotInterval::from, Bytes.BYTES_COMPARATOR);

  private final HStore store;
  private final Prewarmed about;
  private final CachedRows cache;
  private final SegmentCache all;
  private final ReadContext context;
  private final WarmUpPace pace;
  private final CountDownLatch closing;
  private int changes;
  private long pauseNanos;
  private int fetchedRows;

  /**
   * @param all the cache that all stores share
   * @param closing open as long as the store is
   */
  HotRowsFetch(
      HStore store,
      Prewarmed about,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      WarmUpPace pace,
      CountDownLatch closing) {
    this.store = store;
    this.about = about;
    this.cache = cache;
    this.all = all;
    this.context = context;
    this.pace = pace;
    this.closing = closing;
  }

  /** Rows that were fetched so far. */
  int fetchedRows() {
    return fetchedRows;
  }

  /**
   * Fetches what is not cached.
   *
   * @throws IOException if it cannot go on; the message says why
   */
  void fetch(List<HotInterval> hottest) throws IOException, InterruptedException {
    List<HotInterval> sorted = hottest.stream().sorted(ORDER).toList();
    int i = 0;
    while (i < sorted.size()) {
      HotInterval first = sorted.get(i);
      int end = i + 1;
      if (first.isRow()) {
        while (end < sorted.size()
            && end - i < ROWS_OF_REQUEST
            && sorted.get(end).isRow()
            && sorted.get(end).heat() == first.heat()) {
          end++;
        }
        fetchRows(sorted.subList(i, end).stream().map(HotInterval::from).toList());
      } else {
        fetchRun(first);
      }
      i = end;
    }
  }

  private void fetchRows(List<byte[]> wanted) throws IOException, InterruptedException {
    List<byte[]> rows = new ArrayList<>(wanted);
    rows.removeIf(row -> cache.covers(row));
    while (!rows.isEmpty()) {
      WholeRows source = source();
      ReadRequest.Builder request = source.request(ANSWER_BYTES);
      rows.forEach(row -> request.addRange(RowRanges.of(row)));
      NodeBatch batch = ask(source, request.build());
      if (batch != null) {
        int whole = put(source, rows, batch);
        if (whole == 0 || hasLanded(rows.get(0))) {
          // A row that is longer than an answer is not worth it.
          rows.subList(0, Math.max(1, whole)).clear();
          fetchedRows += whole;
        }
      }
      pause();
    }
  }

  /** Whether a row is cached, or is not to be tried again. Its files may have been replaced. */
  private boolean hasLanded(byte[] row) {
    return cache.covers(row) || ++changes > MAX_CHANGES;
  }

  /** Puts those rows into the cache that an answer has whole; returns how many these are. */
  private int put(WholeRows source, List<byte[]> rows, NodeBatch batch) {
    byte[] partial =
        batch.next() == null ? null : CellUtil.cloneRow(Positions.seekKey(batch.next()));
    int whole = 0;
    for (byte[] row : rows) {
      if (partial != null && Bytes.compareTo(row, partial) >= 0) {
        break;
      }
      cache.put(source.ticket(), row, null, batch.ofRow(row, null).cells());
      whole++;
    }
    return whole;
  }

  private void fetchRun(HotInterval run) throws IOException, InterruptedException {
    if (cache.covers(run.from())) {
      return;
    }
    int rows;
    do {
      rows = fetch(run, source());
    } while (!hasLanded(run.from()));
    fetchedRows += rows;
  }

  /** Fetches a run; returns its rows. */
  private int fetch(HotInterval run, WholeRows source) throws IOException, InterruptedException {
    ReadRequest.Builder request =
        source.request(ANSWER_BYTES).addRange(RowRanges.of(run.from(), run.to()));
    ScanFill fill = cache.scanFill(source.ticket(), null);
    Position from = null;
    int rows = 0;
    for (int i = 0; i < MAX_ANSWERS_OF_RUN; i++) {
      if (from != null) {
        request.setFrom(from);
      }
      NodeBatch batch = ask(source, request.build());
      if (batch != null) {
        fill.received(batch, request.build(), from);
        rows += batch.completeRows(store.getComparator());
        from = batch.next();
      }
      pause();
      if (batch == null || from == null) {
        return batch == null || batch.count() == 0 ? rows : rows + 1;
      }
    }
    return rows;
  }

  private WholeRows source() throws IOException {
    WholeRows source = WholeRows.of(store, about, cache, context);
    if (source == null) {
      throw new IOException("no storage node has all of its files");
    }
    return source;
  }

  /** The answer; null if a file was gone. A pause is due then. */
  private @Nullable NodeBatch ask(WholeRows source, ReadRequest request)
      throws IOException, InterruptedException {
    if (!all.hasRoomFor(ANSWER_BYTES)) {
      throw new IOException("the cache is full");
    }
    if (!context.buffers().hasRoom(ANSWER_BYTES)) {
      throw new IOException("scans need the memory");
    }
    long start = System.nanoTime();
    NodeBatch batch = null;
    context.buffers().hold(ANSWER_BYTES);
    try {
      ReadCall call = context.client().read(source.node().address(), request);
      int answered = call.await().getCells().size();
      if (answered > MAX_ANSWER_BYTES) {
        throw new IOException("an answer of " + answered + " bytes");
      }
      batch = NodeBatch.of(call, request, store.getComparator());
      context.health().succeeded(source.node(), source::paths);
    } catch (DaemonException e) {
      context.failed(source.node(), source.paths(), e);
      if (e.reason() != Reason.NO_FILE || ++changes > MAX_CHANGES) {
        throw e;
      }
    } finally {
      context.buffers().hold(-ANSWER_BYTES);
    }
    int bytes = batch == null ? 0 : batch.bytes();
    context.arrived().accept(bytes);
    InStorageMetrics.get().prewarmed(bytes);
    pauseNanos = pace.pauseNanos(System.nanoTime() - start, bytes);
    return batch;
  }

  // Not before the answer is in the cache: the longer it waits, the more often files are replaced.
  private void pause() throws IOException, InterruptedException {
    if (closing.await(pauseNanos, TimeUnit.NANOSECONDS)) {
      throw new IOException("the region closes");
    }
  }
}
