package io.ishbase.plugin.cache;

import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The row of a Get on its way into the segment cache. Each of the Get's node scanners brings its
 * part; when the last has come, whole and without gaps, the row is put. Or a {@link FillingScanner}
 * brings it whole. Used by the Get's thread; others wait for its end.
 */
public final class RowFill implements ReadFill {
  private static final Logger LOG = LoggerFactory.getLogger(RowFill.class);

  private final CachedRows cache;
  private final byte[] row;
  private final Ticket ticket;
  private final CompletableFuture<Void> end;
  private final @Nullable Columns slice;
  private final Runnable tooLong;
  private final long begunNanos = System.nanoTime();

  /** Of which all parts have brought all cells. */
  private Columns columns = Columns.ALL;

  private List<? extends ExtendedCell> cells = List.of();
  private int missing;

  /**
   * @param slice the columns to which the Get's filter keeps: a request with a filter asks for
   *     these; null: it does not
   * @param tooLong hears of a row, or slice, that does not come whole
   */
  RowFill(
      CachedRows cache,
      byte[] row,
      @Nullable Columns slice,
      Runnable tooLong,
      Ticket ticket,
      CompletableFuture<Void> end) {
    this.cache = cache;
    this.row = row;
    this.slice = slice;
    this.tooLong = tooLong;
    this.ticket = ticket;
    this.end = end;
  }

  @Override
  public List<RowFill> expect(int parts) {
    missing = parts;
    if (parts == 0) {
      // The files have nothing of the row.
      finish();
    }
    return Collections.nCopies(parts, this);
  }

  @Override
  public void received(NodeBatch batch, ReadRequest request, @Nullable Position from) {
    if (batch.hasGaps()) {
      tooLong.run();
    }
    if (batch.hasGaps() || batch.next() != null) {
      abandon();
      return;
    }
    if (request.hasFilter() && slice == null
        || !batch.cells().stream().allMatch(cell -> CellUtil.matchingRows(cell, row))) {
      abandon();
      return;
    }
    columns = columns.intersect(columnsOf(request));
    List<? extends ExtendedCell> merged =
        cells.isEmpty() ? batch.cells() : RowParts.merge(cells, batch.cells());
    if (merged == null) {
      abandon();
      return;
    }
    cells = merged;
    finishIfLast();
  }

  private Columns columnsOf(ReadRequest request) {
    if (request.hasFilter() && slice != null) {
      return slice;
    }
    return request.getColumnCount() == 0
        ? Columns.ALL
        : Columns.of(request.getColumnList().stream().map(ByteString::toByteArray).toList());
  }

  /** Puts all that the files have of the row. */
  void receivedRow(List<? extends ExtendedCell> all) {
    cells = all;
    finish();
  }

  @Override
  public void receivedNothing() {
    finishIfLast();
  }

  /** The rows around this one that are to be fetched with it; null if it is to be fetched alone. */
  public @Nullable Stretch neighbours() {
    return cache.rows().missed(row);
  }

  public Ticket ticket() {
    return ticket;
  }

  /** A fill of those neighbours, from the same files. */
  public ScanFill fillOf(Stretch neighbours) {
    return cache.scanFill(ticket, neighbours);
  }

  private void finishIfLast() {
    if (--missing == 0) {
      finish();
    }
  }

  private void finish() {
    if (end.isDone()) {
      return;
    }
    cache.rows().missTook(System.nanoTime() - begunNanos);
    try {
      if (columns.isAll()) {
        cache.put(ticket, row, null, cells);
      } else {
        cache.put(
            ticket,
            row,
            columns,
            cells.stream().filter(cell -> CachedRow.isOf(cell, columns)).toList());
      }
    } catch (RuntimeException e) {
      // A defect of the cache must not become one of the read.
      LOG.warn("A row of {} is not cached", cache, e);
    } finally {
      end.complete(null);
    }
  }

  @Override
  public void abandon() {
    end.complete(null);
  }
}
