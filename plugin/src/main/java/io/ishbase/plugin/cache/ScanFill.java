package io.ishbase.plugin.cache;

import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.ExtendedCell;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan on their way into the segment cache: what the batches of the node scanners
 * hold that together have all of the store's files. Of one node scanner rows go in as they come; of
 * several, when all have brought them ({@link JoinedRows}). Used by the scan's thread.
 */
public final class ScanFill implements ReadFill {
  private final StoreCache rows;
  private final Ticket ticket;
  private final CacheRun run;
  private final long maxWaitingBytes;

  /** Of the one node scanner that there is. */
  private final BatchRows batches;

  /**
   * @param isClean whether no compaction could drop a cell of a row
   * @param advised what the cache asked for; null if it is a client's scan
   * @param maxWaitingBytes of what each of several node scanners has brought before the others
   */
  ScanFill(
      StoreCache rows,
      RowCodec codec,
      Predicate<List<ExtendedCell>> isClean,
      Ticket ticket,
      @Nullable Stretch advised,
      long maxWaitingBytes) {
    this.rows = rows;
    this.ticket = ticket;
    this.maxWaitingBytes = maxWaitingBytes;
    this.run = new CacheRun(rows, codec, isClean, ticket, advised);
    this.batches = new BatchRows(run, rows.maxRowBytes());
  }

  @Override
  public List<? extends FillSink> expect(int parts) {
    return switch (parts) {
      case 0 -> List.of();
      case 1 -> List.of(this);
      default ->
          new JoinedRows(run, parts, rows.maxRowBytes(), maxWaitingBytes, () -> rows.isGood(ticket))
              .sinks();
    };
  }

  @Override
  public void received(NodeBatch batch, ReadRequest request, @Nullable Position from) {
    if (rows.isGood(ticket)) {
      batches.received(batch, request.getRange(0), from);
    }
  }

  @Override
  public void receivedNothing() {}

  @Override
  public void abandon() {}

  /** What it holds of the row that is coming. */
  long heldBytes() {
    return batches.heldBytes();
  }
}
