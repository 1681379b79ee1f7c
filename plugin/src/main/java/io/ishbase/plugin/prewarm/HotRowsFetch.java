package io.ishbase.plugin.prewarm;

import io.ishbase.core.Reason;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.hot.HotInterval;
import io.ishbase.core.hot.HotIntervals;
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
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
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
  /** No row that can be cached needs more; one with a large cell does, and a daemon that lies. */
  private static final int USUAL_ANSWER_BYTES = 4 << 20;

  private static final int MAX_LARGE_ANSWERS = 16;

  private static final int LEAST_ROWS_OF_REQUEST = 16;
  private static final int MOST_ROWS_OF_REQUEST = 4_096;

  /** Bytes of keys, of which a request has each twice. */
  private static final int MOST_KEY_BYTES_OF_REQUEST = Protocol.MAX_PUSHED_BYTES / 2;

  /** What rows are taken to be like at first. */
  private static final int USUAL_ROW_BYTES = 1 << 10;

  /** Answers of a run of rows, which lies in one index segment. */
  private static final int MAX_ANSWERS_OF_RUN = 256;

  /** How often files may be replaced by a flush or compaction while they are read. */
  private static final int MAX_CHANGES = 8;

  /** How often it waits for a daemon that is busy, or for memory that scans have. */
  private static final int MAX_WAITS = 60;

  private static final long WAIT_MILLIS = 1_000;
  private static final long LONGEST_WAIT_MILLIS = 60_000;

  private final HStore store;
  private final Prewarmed about;
  private final CachedRows cache;
  private final SegmentCache all;
  private final ReadContext context;
  private final WarmUpPace pace;
  private final CountDownLatch closing;
  private int changes;
  private int waits;
  private int largeAnswers;
  private long pauseNanos;
  private int fetchedRows;

  /** Of the intervals in the order in which they are fetched, how many it came to. */
  private int passed;

  /** Single rows among those that are still to be fetched, together. */
  private final List<HotInterval> pending = new ArrayList<>();

  private long pendingKeyBytes;
  private LongPredicate isTurnOver = nanos -> false;
  private long turnBegan;

  private double bytesOfRow = USUAL_ROW_BYTES;

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
   * Fetches what is not cached: by classes of rows that are about as hot, each in the order of its
   * keys, so that rows of a block come together.
   *
   * @param isOver whether, so many nanoseconds after this call, the rest is left to a later one, to
   *     be made with the same intervals
   * @return in how many milliseconds that is due; 0 if there is no rest
   * @throws IOException if it cannot go on; the message says why
   */
  long fetch(HotIntervals hottest, LongPredicate isOver) throws IOException, InterruptedException {
    isTurnOver = isOver;
    turnBegan = System.nanoTime();
    int done = passed;
    passed = 0;
    try {
      for (int least = Integer.highestOneBit(HotInterval.MAX_HEAT); least > 0; least /= 2) {
        for (HotInterval each : hottest) {
          if (Integer.highestOneBit(each.heat()) == least && passed++ >= done) {
            fetch(each);
          }
        }
        while (!pending.isEmpty()) {
          fetchRows(pending);
        }
      }
      return 0;
    } catch (TurnOverException e) {
      return Math.max(1, TimeUnit.NANOSECONDS.toMillis(pauseNanos));
    }
  }

  private void fetch(HotInterval interval) throws IOException, InterruptedException {
    if (cache.covers(interval.from())) {
      return;
    }
    if (!interval.isRow()) {
      fetchRun(interval);
      return;
    }
    pending.add(interval);
    pendingKeyBytes += interval.from().length;
    if (pending.size() >= rowsOfRequest() || pendingKeyBytes >= MOST_KEY_BYTES_OF_REQUEST) {
      fetchRows(pending);
    }
  }

  private int rowsOfRequest() {
    double fitting = pace.answerBytes() / bytesOfRow;
    return (int)
        Math.max(LEAST_ROWS_OF_REQUEST, Math.min(MOST_ROWS_OF_REQUEST, Math.ceil(fitting)));
  }

  /** Asks for rows once, and takes away those that are done. */
  private void fetchRows(List<HotInterval> rows) throws IOException, InterruptedException {
    WholeRows source = source();
    ReadRequest.Builder request = source.request(pace.answerBytes());
    rows.forEach(row -> request.addRange(RowRanges.of(row.from())));
    NodeBatch batch = ask(source, request.build(), rows.get(0).heat());
    if (batch != null) {
      int whole = put(source, rows, batch);
      if (whole == 0 || hasLanded(rows.get(0).from())) {
        // A row that is longer than an answer is not worth it.
        rows.subList(0, Math.max(1, whole)).clear();
        fetchedRows += whole;
      }
    }
    pendingKeyBytes = rows.stream().mapToLong(row -> row.from().length).sum();
    pause();
  }

  /** Whether a row is cached, or is not to be tried again. Its files may have been replaced. */
  private boolean hasLanded(byte[] row) {
    return cache.covers(row) || ++changes > MAX_CHANGES;
  }

  /** Puts those rows into the cache that an answer has whole; returns how many these are. */
  private int put(WholeRows source, List<HotInterval> rows, NodeBatch batch) {
    byte[] partial =
        batch.next() == null ? null : CellUtil.cloneRow(Positions.seekKey(batch.next()));
    int whole = 0;
    for (HotInterval each : rows) {
      byte[] row = each.from();
      if (partial != null && Bytes.compareTo(row, partial) >= 0) {
        break;
      }
      cache.rows().recall(row, each.heat());
      cache.put(source.ticket(), row, null, batch.ofRow(row, null).cells());
      whole++;
    }
    if (whole > 0) {
      bytesOfRow = Math.max(1, (double) batch.bytes() / whole);
    }
    return whole;
  }

  private void fetchRun(HotInterval run) throws IOException, InterruptedException {
    int rows;
    do {
      rows = fetch(run, source());
    } while (!hasLanded(run.from()));
    fetchedRows += rows;
  }

  /** Fetches a run; returns its rows. */
  private int fetch(HotInterval run, WholeRows source) throws IOException, InterruptedException {
    ReadRequest.Builder request =
        source.request(pace.answerBytes()).addRange(RowRanges.of(run.from(), run.to()));
    ScanFill fill = cache.scanFill(source.ticket(), null);
    Position from = null;
    int rows = 0;
    for (int i = 0; i < MAX_ANSWERS_OF_RUN; i++) {
      if (from != null) {
        request.setFrom(from);
      }
      request.setMaxBytes(pace.answerBytes());
      NodeBatch batch = ask(source, request.build(), run.heat());
      if (batch != null) {
        recall(batch, run.heat());
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

  private void recall(NodeBatch batch, int heat) {
    Cell last = null;
    for (Cell cell : batch.cells()) {
      if (last == null || !CellUtil.matchingRows(last, cell)) {
        cache.rows().recall(CellUtil.cloneRow(cell), heat);
      }
      last = cell;
    }
  }

  private WholeRows source() throws IOException, InterruptedException {
    WholeRows source = WholeRows.of(store, about, cache, context);
    while (source == null) {
      String why = "no storage node has all of its files";
      if (fetchedRows == 0) {
        throw new IOException(why);
      }
      // One had: it may be left alone for a moment, or files are about to be replaced.
      waitFor(WAIT_MILLIS, why);
      pause();
      source = WholeRows.of(store, about, cache, context);
    }
    return source;
  }

  /**
   * The answer; null if there was none and it may be asked for again. A pause is due then.
   *
   * @param heat of the hottest that is asked for
   */
  private @Nullable NodeBatch ask(WholeRows source, ReadRequest request, int heat)
      throws IOException, InterruptedException {
    int bytes = request.getMaxBytes();
    if (!all.hasRoomFor(bytes) && !cache.rows().hasPlaceFor(heat, bytes)) {
      context.health().untried(source.node(), source::paths);
      throw new IOException("the cache is full of what is as hot");
    }
    if (!context.buffers().hasRoom(bytes)) {
      context.health().untried(source.node(), source::paths);
      waitFor(WAIT_MILLIS, "scans need the memory");
      return null;
    }
    long start = System.nanoTime();
    NodeBatch batch = null;
    context.buffers().hold(bytes);
    try {
      ReadCall call = context.client().read(source.node().address(), request);
      int answered = call.await().getCells().size();
      if (answered > USUAL_ANSWER_BYTES && ++largeAnswers > MAX_LARGE_ANSWERS) {
        throw new IOException("an answer of " + answered + " bytes");
      }
      batch = NodeBatch.of(call, request, store.getComparator());
      context.health().succeeded(source.node(), source::paths);
    } catch (DaemonException e) {
      context.failed(source.node(), source.paths(), e);
      if (e.reason() == Reason.BUSY) {
        waitFor(Math.min(LONGEST_WAIT_MILLIS, Math.max(WAIT_MILLIS, e.busyMillis())), e.toString());
        return null;
      }
      if (e.reason() != Reason.NO_FILE || ++changes > MAX_CHANGES) {
        throw e;
      }
    } finally {
      context.buffers().hold(-bytes);
    }
    int arrived = batch == null ? 0 : batch.bytes();
    context.arrived().accept(arrived);
    InStorageMetrics.get().prewarmed(arrived);
    pauseNanos =
        pace.answered(
            System.nanoTime() - start,
            arrived,
            batch != null && batch.next() != null,
            context.client().lineNanos(bytes) > 0);
    return batch;
  }

  private void waitFor(long millis, String why) throws IOException {
    if (++waits > MAX_WAITS) {
      throw new IOException(why);
    }
    pauseNanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  // Not before the answer is in the cache: the longer it waits, the more often files are replaced.
  private void pause() throws IOException, InterruptedException {
    if (isTurnOver.test(System.nanoTime() - turnBegan + pauseNanos)) {
      throw new TurnOverException();
    }
    if (closing.await(pauseNanos, TimeUnit.NANOSECONDS)) {
      throw new IOException("the region closes");
    }
  }

  /** The rest is for the next turn. */
  private static final class TurnOverException extends IOException {
    private static final long serialVersionUID = 1;
  }
}
