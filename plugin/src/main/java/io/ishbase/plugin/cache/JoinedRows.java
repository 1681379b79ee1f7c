package io.ishbase.plugin.cache;

import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan of which several node scanners have a part each. Each part brings a stretch of
 * rows, which grows with its answers and begins anew where its scanner jumps. What all stretches
 * have in common goes on, row by row, and nothing else.
 *
 * <p>A part without any file that the scan needs has no say. One that ends (its scanner is closed,
 * or went over to HBase's own path) keeps what it has brought; when the others have come to its end
 * all is over. Used by the scan's thread.
 */
final class JoinedRows {
  private final RowSink whole;
  private final long maxRowBytes;
  private final long maxWaitingBytes;
  private final BooleanSupplier mayLand;
  private final List<Part> parts = new ArrayList<>();
  private boolean isOver;

  /** Up to where the whole was told; null: nothing yet. */
  private @Nullable Border reached;

  /**
   * @param whole takes the rows
   * @param count of parts
   * @param maxWaitingBytes of rows of each part
   * @param mayLand whether the store's files are still those that are read
   */
  JoinedRows(
      RowSink whole, int count, long maxRowBytes, long maxWaitingBytes, BooleanSupplier mayLand) {
    this.whole = whole;
    this.maxRowBytes = maxRowBytes;
    this.maxWaitingBytes = maxWaitingBytes;
    this.mayLand = mayLand;
    for (int i = 0; i < count; i++) {
      parts.add(new Part());
    }
  }

  /** The sinks of the parts. */
  List<FillSink> sinks() {
    return List.copyOf(parts);
  }

  /** What one node scanner brings. */
  private final class Part implements FillSink {
    private final WaitingRows rows = new WaitingRows(maxWaitingBytes);
    private final BatchRows batches = new BatchRows(rows, maxRowBytes);
    private boolean hasEnded;

    @Override
    public void received(NodeBatch batch, ReadRequest request, @Nullable Position from) {
      if (isOver) {
        return;
      }
      if (!mayLand.getAsBoolean()) {
        end();
        return;
      }
      boolean done = false;
      try {
        batches.received(batch, request.getRange(0), from);
        join();
        done = true;
      } finally {
        if (!done) {
          end();
        }
      }
    }

    @Override
    public void receivedNothing() {
      parts.remove(this);
    }

    @Override
    public void abandon() {
      hasEnded = true;
      endIfStuck();
    }
  }

  private void end() {
    isOver = true;
    parts.forEach(part -> part.rows.clear());
    parts.clear();
  }

  /** Ends if there is a part that has ended, and nothing behind its end can become whole. */
  private void endIfStuck() {
    for (Part part : parts) {
      if (part.hasEnded && !(part.rows.hasBegun() && begin().isBefore(part.rows.to()))) {
        end();
        return;
      }
    }
  }

  /** Where the last of the stretches begins. */
  private Border begin() {
    return Collections.max(
        parts.stream().filter(part -> part.rows.hasBegun()).map(part -> part.rows.from()).toList());
  }

  private void join() {
    if (!parts.stream().allMatch(part -> part.rows.hasBegun())) {
      return;
    }
    Border begin = begin();
    Border end = Collections.min(parts.stream().map(part -> part.rows.to()).toList());
    parts.forEach(part -> part.rows.drop(begin));
    if (begin.isBefore(end)) {
      if (!begin.equals(reached)) {
        byte[] row = begin.row();
        if (row == null) {
          throw new IllegalStateException("Something begins behind all rows");
        }
        whole.begin(row, !begin.isBehind());
      }
      pass(end);
      parts.forEach(part -> part.rows.drop(end));
      reached = end;
    }
    endIfStuck();
  }

  /** Passes on all rows before a border, and that there are no others. */
  private void pass(Border end) {
    for (byte[] row = first(end); row != null; row = first(end)) {
      passRow(row);
    }
    byte[] row = end.row();
    if (row == null) {
      whole.reachedEnd();
    } else if (end.isBehind()) {
      whole.reachedThrough(row);
    } else {
      whole.reachedBefore(row);
    }
  }

  /** The first row of any part before a border; null: there is none. */
  private byte @Nullable [] first(Border end) {
    byte[] first = null;
    for (Part part : parts) {
      byte[] row = part.rows.first();
      if (row != null && (first == null || Bytes.compareTo(row, first) < 0)) {
        first = row;
      }
    }
    return first != null && Border.before(first).isBefore(end) ? first : null;
  }

  private void passRow(byte[] row) {
    List<ExtendedCell> cells = List.of();
    for (Part part : parts) {
      byte[] first = part.rows.first();
      if (first != null && Bytes.equals(first, row)) {
        List<ExtendedCell> more = part.rows.take();
        cells = cells == null || more == null ? null : RowParts.merge(cells, more);
      }
    }
    long bytes = cells == null ? 0 : CachedRow.encodedBytes(cells);
    if (cells == null || bytes > maxRowBytes) {
      whole.unfit(row);
    } else {
      whole.row(row, cells, bytes);
    }
  }
}
