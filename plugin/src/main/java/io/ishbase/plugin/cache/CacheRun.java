package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.cache.Fill;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.Ticket;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.ExtendedCell;
import org.jspecify.annotations.Nullable;

/** Puts rows into the segment cache, as runs. Used by one thread. */
final class CacheRun implements RowSink {
  private final StoreCache rows;
  private final RowCodec codec;
  private final Predicate<List<ExtendedCell>> isClean;
  private final Ticket ticket;

  /** What the cache asked for, until it begins to come. */
  private @Nullable Stretch advised;

  /** The run that is being filled; null before the first batch. */
  private @Nullable Fill run;

  /**
   * @param isClean whether no compaction could drop a cell of a row
   * @param advised what the cache asked for; null if it is a client's scan
   */
  CacheRun(
      StoreCache rows,
      RowCodec codec,
      Predicate<List<ExtendedCell>> isClean,
      Ticket ticket,
      @Nullable Stretch advised) {
    this.rows = rows;
    this.codec = codec;
    this.isClean = isClean;
    this.ticket = ticket;
    this.advised = advised;
  }

  @Override
  public void begin(byte[] row, boolean inclusive) {
    run = advised == null ? rows.fill(ticket, row, inclusive) : rows.fill(ticket, advised);
    advised = null;
  }

  @Override
  public void coming(byte[] row) {
    // When it has come it says so itself.
  }

  @Override
  public void row(byte[] row, List<ExtendedCell> cells, long bytes) {
    byte[] payload = codec.encodeScanned(cells);
    run().row(row, payload, 0, payload.length, isClean.test(cells));
  }

  @Override
  public void unfit(byte[] row) {
    run().reachedBefore(row);
    run = rows.fill(ticket, row, false);
  }

  @Override
  public void reachedBefore(byte[] row) {
    run().reachedBefore(row);
  }

  @Override
  public void reachedThrough(byte[] row) {
    run().reachedThrough(row);
  }

  @Override
  public void reachedEnd() {
    run().reachedEnd();
  }

  private Fill run() {
    return requireNonNull(run, "a row before the first batch");
  }
}
