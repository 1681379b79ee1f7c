package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.cache.Cursor;
import io.ishbase.core.cache.Cursor.State;
import io.ishbase.core.cache.GapEnd;
import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.scan.RangeScanner;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * All that a store's HFiles hold of the rows of a forward scan: runs of rows from the segment
 * cache, and from the storage nodes what lies between them.
 *
 * <p>A run that is short ends a request only where a scan begins: a round trip costs more than the
 * rows that it would save. Where no run that is worth it is in sight, the request goes on to the
 * end of the scan, and the scanner looks again when it comes to where its sight ended.
 *
 * <p>What it hands out is a copy, and between two calls it holds nothing of the cache: who reads a
 * store inside the region server may take his time, and need not say when he is done with a cell.
 * So that a row of which the scan's filter lets nothing through is not copied first, it is asked
 * where the row lies ({@link LeftOutRows}).
 *
 * <p>Where rows of the cache are newer than the files, the memstore scanners of the same read have
 * what is new as well, or it is beyond the read point.
 */
public final class CachedScanner extends NonReversedNonLazyKeyValueScanner {
  private final CacheVisibility.Reader cache;
  private final RangeScanner nodes;
  private final CellComparator comparator;
  private final CachedBlocks blocks;
  private final byte @Nullable [] stopRow;
  private final boolean includeStop;
  private final @Nullable LeftOutRows leftOut;
  private final RowView leftOutRow = new RowView();
  private final GapEnd worthwhile = new GapEnd();

  /** Rests between two calls; null, as is the cursor, while a client takes its time. */
  private @Nullable Pin pin;

  private @Nullable Cursor cursor;

  /** Where the nodes are to be read from. */
  private byte[] gapStart = {};

  private boolean gapStartInclusive;

  /** The rest of the cached row; null while the nodes are read. */
  private CachedRow.@Nullable Cells rest;

  /** Where cached rows begin again; null: not before the end of the scan, or not in sight. */
  private byte @Nullable [] gapEnd;

  private boolean gapEndInclusive;

  /** The row behind which nobody looked for them yet; null: there are none. */
  private byte @Nullable [] sightEnd;

  private boolean requested;

  /** Whether a cached row could not be read: from then on all is asked of the nodes. */
  private boolean distrustsCache;

  private @Nullable Cell current;

  /** Rows that came from the cache. */
  private int cachedRows;

  /**
   * Takes over {@code nodes}, which have all of the store's files.
   *
   * @param leftOut cached rows that the scan need not see; null: it is to see all
   */
  public CachedScanner(
      RangeScanner nodes,
      ReadSpec read,
      CacheVisibility.Reader cache,
      @Nullable LeftOutRows leftOut,
      HStore store) {
    this.cache = cache;
    this.nodes = nodes;
    this.leftOut = leftOut;
    this.comparator = store.getComparator();
    this.blocks = new CachedBlocks(store);
    RowRange range = read.range();
    this.stopRow = range.getStopRow().isEmpty() ? null : range.getStopRow().toByteArray();
    this.includeStop = range.getIncludeStop();
  }

  /** Sends the first request if the scan begins in a gap. */
  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    if (!nodes.needs(scan, store, oldestUnexpiredTs)) {
      return false;
    }
    if (leftOut != null) {
      leftOut.setOldestUnexpired(oldestUnexpiredTs);
    }
    if (seek(scan.getStartRow(), scan.includeStartRow()) == State.GAP) {
      requestGap();
    }
    letGo();
    return true;
  }

  private State seek(byte[] row, boolean inclusive) {
    Cursor held = hold();
    State found = held.seek(row, inclusive, stopRow, includeStop);
    return mayUse(held) ? found(held, found) : gapFrom(row, inclusive);
  }

  /** To the row behind the current one. */
  private State next(byte[] row) {
    if (cursor == null) {
      return seek(row, false);
    }
    Cursor held = hold();
    State found = held.next();
    return mayUse(held) ? found(held, found) : gapFrom(row, false);
  }

  /** The same, while the pin holds the row that was left out. */
  private State nextOfLeftOut(Cursor held) {
    leftOutRow.show(held.row());
    State found = held.next();
    return mayUse(held) ? found(held, found) : gapFrom(leftOutRow.copyRow(), false);
  }

  private Cursor hold() {
    Cursor held = cursor;
    if (pin == null || held == null) {
      pin = cache.rows().pin();
      held = cache.cursor(pin);
      cursor = held;
    } else {
      pin.renew();
    }
    return held;
  }

  private void letGo() {
    if (pin != null) {
      pin.rest();
    }
  }

  /** Whether what the cursor found in its last step may be used. */
  private boolean mayUse(Cursor held) {
    return !distrustsCache && cache.mayUse(held);
  }

  private State found(Cursor held, State found) {
    gapEnd = null;
    sightEnd = null;
    if (found == State.GAP) {
      gapStart = held.gapStart();
      gapStartInclusive = held.gapStartInclusive();
      findGapEnd();
    }
    return found;
  }

  /** A gap to the end of the scan, in place of what was found. */
  private State gapFrom(byte[] row, boolean inclusive) {
    gapEnd = null;
    sightEnd = null;
    gapStart = row;
    gapStartInclusive = inclusive;
    return stopRow != null && Bytes.compareTo(row, stopRow) > (includeStop && inclusive ? 0 : -1)
        ? State.END
        : State.GAP;
  }

  private void requestGap() {
    RowRange.Builder range =
        RowRange.newBuilder()
            .setStartRow(UnsafeByteOperations.unsafeWrap(gapStart))
            .setIncludeStart(gapStartInclusive);
    if (gapEnd != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(gapEnd)).setIncludeStop(gapEndInclusive);
    } else if (stopRow != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(stopRow)).setIncludeStop(includeStop);
    }
    nodes.request(range.build());
    requested = true;
  }

  /** Looks, from where the gap begins, for the next run that is worth to end a request before. */
  private void findGapEnd() {
    Cursor ahead = cache.cursor(requireNonNull(pin, "looks without a pin")).quietly();
    worthwhile.find(ahead, gapStart, gapStartInclusive, stopRow, includeStop);
    gapEnd = worthwhile.end();
    gapEndInclusive = worthwhile.endInclusive();
    sightEnd = worthwhile.sightEnd();
  }

  /** Makes the first cell from where the cursor stands the current one. */
  private void enter(State entered) throws IOException {
    State state = entered;
    while (state != State.END) {
      if (state == State.ROW) {
        Cursor held = requireNonNull(cursor, "a row of no cursor");
        RowView row = held.row();
        blocks.count(row.length());
        try {
          rest = cache.cellsOf(row, leftOut);
          current = rest == null ? null : rest.next();
        } catch (RuntimeException e) {
          state = unreadable(row.copyRow(), e);
          continue;
        }
        if (current != null) {
          cachedRows++;
          letGo();
          return;
        }
        // A few rows are left out under one pin, then one is shown.
        state = rest == null ? nextOfLeftOut(held) : next(row.copyRow());
      } else {
        if (!requested) {
          requestGap();
        }
        requested = false;
        rest = null;
        letGo();
        nodes.begin();
        if (takeFromNodes()) {
          return;
        }
        state = gapEnd == null ? State.END : seek(gapEnd, !gapEndInclusive);
      }
    }
    current = null;
    letGo();
  }

  /** A gap from a row to the end of the scan. */
  private State unreadable(byte[] row, RuntimeException failure) {
    cache.dropUnreadable(row, failure);
    distrustsCache = true;
    rest = null;
    requested = false;
    gapStart = row;
    gapStartInclusive = true;
    gapEnd = null;
    sightEnd = null;
    return State.GAP;
  }

  /**
   * Goes on at the nodes in the middle of a cached row.
   *
   * @param last what was handed out of it
   */
  private void goOnAtNodes(Cell last, RuntimeException failure) throws IOException {
    enter(unreadable(CellUtil.cloneRow(last), failure));
    while (current != null && comparator.compare(current, last) <= 0) {
      nodes.next();
      afterNodes();
    }
  }

  /** False if the nodes have no more cells of the gap. */
  private boolean takeFromNodes() {
    current = nodes.peek();
    if (current == null) {
      return false;
    }
    if (sightEnd != null && comparator.compareRows(current, sightEnd, 0, sightEnd.length) > 0) {
      gapStart = CellUtil.cloneRow(current);
      gapStartInclusive = true;
      hold();
      findGapEnd();
      letGo();
    }
    if (gapEnd == null) {
      return true;
    }
    // On HBase's own path a node does not end with the gap.
    int order = comparator.compareRows(current, gapEnd, 0, gapEnd.length);
    return order < 0 || order == 0 && gapEndInclusive;
  }

  private void afterNodes() throws IOException {
    if (!takeFromNodes()) {
      enter(gapEnd == null ? State.END : seek(gapEnd, !gapEndInclusive));
    }
  }

  @Override
  public @Nullable Cell peek() {
    return current;
  }

  @Override
  public @Nullable Cell next() throws IOException {
    Cell result = current;
    if (result == null) {
      return null;
    }
    if (rest == null) {
      nodes.next();
      afterNodes();
    } else {
      try {
        current = rest.next();
      } catch (RuntimeException e) {
        goOnAtNodes(result, e);
        return result;
      }
      if (current == null) {
        enter(next(CellUtil.cloneRow(result)));
      }
    }
    return result;
  }

  @Override
  public boolean seek(Cell key) throws IOException {
    if (requested) {
      enter(State.GAP);
      return reseek(key);
    }
    if (leftOut != null) {
      leftOut.restart();
    }
    byte[] row = CellUtil.cloneRow(key);
    enter(seek(row, true));
    return reseek(key);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    while (current != null && isBefore(current, key)) {
      if (rest != null && CellUtil.matchingRows(current, key)) {
        try {
          current = reseekInRow(rest, key);
        } catch (RuntimeException e) {
          enter(unreadable(CellUtil.cloneRow(key), e));
          continue;
        }
        if (current == null) {
          enter(next(CellUtil.cloneRow(key)));
        }
      } else if (rest == null && isInGap(key)) {
        nodes.reseek(key);
        afterNodes();
      } else {
        enter(seek(CellUtil.cloneRow(key), true));
      }
    }
    return current != null;
  }

  private @Nullable Cell reseekInRow(CachedRow.Cells row, Cell key) {
    ExtendedCell cell = row.next();
    while (cell != null && isBefore(cell, key)) {
      cell = row.next();
    }
    return cell;
  }

  private boolean isBefore(Cell cell, Cell key) {
    return PrivateCellUtil.compareKeyIgnoresMvcc(comparator, cell, key) < 0;
  }

  private boolean isInGap(Cell key) {
    return gapEnd == null
        || comparator.compareRows(key, gapEnd, 0, gapEnd.length) < (gapEndInclusive ? 1 : 0);
  }

  @Override
  public void shipped() throws IOException {
    nodes.shipped();
    unpin();
  }

  private void unpin() {
    if (pin != null) {
      pin.close();
      pin = null;
      cursor = null;
    }
  }

  @Override
  public void close() {
    current = null;
    if (leftOut != null) {
      leftOut.told();
    }
    unpin();
    nodes.close();
    InStorageMetrics.get().tookCached(cachedRows);
    Span span = Span.current();
    if (span.isRecording()) {
      span.addEvent("cache", Attributes.of(Spans.CACHED_ROWS, (long) cachedRows));
    }
  }

  @Override
  public long getScannerOrder() {
    return rest == null && current != null ? nodes.getScannerOrder() : 0;
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    blocks.tell(blockSizeConsumer);
    nodes.recordBlockSize(blockSizeConsumer);
  }
}
