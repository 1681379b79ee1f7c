package org.apache.hadoop.hbase.regionserver;

import io.ishbase.plugin.hbase.FilteredRows;
import io.ishbase.protocol.ReleaseAdapter;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * HBase's scanners of a region, which tell a watch what they give, and give what a correction makes
 * of it. In this package because of the constructors of HBase 2.6's {@code RegionScannerImpl} and
 * {@code ReversedRegionScannerImpl}, and of what a {@code ScannerContext} says of a row.
 */
@NullMarked
public final class WatchedRegionScanners {
  /** Is told, by one thread at a time, what a scanner gives. Throws nothing. */
  public interface Watch {
    /**
     * Cells were given.
     *
     * @param cells not empty, of one row, perhaps not all of them; good until this returns
     */
    void gave(List<Cell> cells);

    /** The scanner is closed. May be told again. */
    void closed();
  }

  /** What HBase's scanner would give next. */
  public interface Step {
    /** Adds cells to {@code result}, and says whether there may be more behind them. */
    boolean take(List<Cell> result, ScannerContext context) throws IOException;
  }

  /** Stands between a scanner and its user. Is called by one thread at a time. */
  public interface Correction {
    /** Gives what is right in place of {@code step}, which is not taken if another scanner is. */
    boolean next(Step step, List<Cell> result, ScannerContext context, long readPoint)
        throws IOException;

    /** The scanner that has taken this one's place; null: none has. */
    @Nullable RegionScanner instead();

    /** The scanner goes to another row. */
    void moved();

    /** Cells that were given are not used any more. */
    void shipped() throws IOException;

    /** The scanner is closed. May be told again. */
    void closed();
  }

  private WatchedRegionScanners() {}

  /** Whether a scan of stores that daemons read counts what HBase's own scanner would miss. */
  public static boolean counts(Scan scan) {
    return ReleaseAdapter.asksWhatIsRead(scan) || FilteredRows.areCounted(scan);
  }

  /**
   * As HBase makes it, but watched.
   *
   * @param correction null: what is given is not looked at
   * @param watch null: nobody wants to know
   */
  public static RegionScannerImpl of(
      HRegion region,
      Scan scan,
      @Nullable List<KeyValueScanner> more,
      long nonceGroup,
      long nonce,
      @Nullable Correction correction,
      @Nullable Watch watch)
      throws IOException {
    UnseenRows rows = FilteredRows.areCounted(scan) ? new UnseenRows(region) : null;
    Tap tap = new Tap(correction, watch, BlockProgress.of(scan), rows);
    UnseenRows.Opening<RegionScannerImpl> opening =
        scan.isReversed()
            ? () -> new Reversed(region, scan, more, nonceGroup, nonce, tap)
            : () -> new Forward(region, scan, more, nonceGroup, nonce, tap);
    if (scan.isReversed() && scan.getFilter() != null) {
      scan.getFilter().setReversed(true);
    }
    return rows == null ? opening.open() : rows.open(opening);
  }

  /** Whether a step with that context ended within a row. */
  public static boolean endedWithinRow(ScannerContext context) {
    return context.mayHaveMoreCellsInRow();
  }

  /** Says of a step with that context that it ended behind a row. */
  public static void endsBehindRow(ScannerContext context, boolean hasMore) {
    context.setScannerState(
        hasMore ? ScannerContext.NextState.MORE_VALUES : ScannerContext.NextState.NO_MORE_VALUES);
  }

  /** Says of a step with that context that it ended within a row. */
  public static void endsWithinRow(ScannerContext context) {
    context.setScannerState(ScannerContext.NextState.SIZE_LIMIT_REACHED_MID_ROW);
  }

  private record Tap(
      @Nullable Correction correction,
      @Nullable Watch watch,
      @Nullable BlockProgress blocks,
      @Nullable UnseenRows rows) {
    boolean next(Step step, List<Cell> result, ScannerContext context, long readPoint)
        throws IOException {
      int before = result.size();
      boolean hasMore =
          correction == null
              ? take(step, result, context)
              : correction.next(
                  (cells, limits) -> take(step, cells, limits), result, context, readPoint);
      if (watch != null && result.size() > before) {
        watch.gave(before == 0 ? result : result.subList(before, result.size()));
      }
      return hasMore;
    }

    private boolean take(Step step, List<Cell> result, ScannerContext context) throws IOException {
      return rows == null
          ? counted(step, result, context)
          : rows.take((cells, limits) -> counted(step, cells, limits), result, context);
    }

    private boolean counted(Step step, List<Cell> result, ScannerContext context)
        throws IOException {
      return blocks == null ? step.take(result, context) : blocks.next(step, result, context);
    }

    @Nullable RegionScanner instead() {
      return correction == null ? null : correction.instead();
    }

    void moved() {
      if (correction != null) {
        correction.moved();
      }
    }

    void shipped() throws IOException {
      if (correction != null) {
        correction.shipped();
      }
    }

    void closed() {
      if (correction != null) {
        correction.closed();
      }
      if (watch != null) {
        watch.closed();
      }
    }
  }

  private static final class Forward extends RegionScannerImpl {
    private final Tap tap;

    Forward(
        HRegion region,
        Scan scan,
        @Nullable List<KeyValueScanner> more,
        long nonceGroup,
        long nonce,
        Tap tap)
        throws IOException {
      super(scan, more, region, nonceGroup, nonce);
      this.tap = tap;
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      return tap.next(super::nextRaw, result, context, getMvccReadPoint());
    }

    @Override
    public synchronized boolean isFilterDone() throws IOException {
      RegionScanner instead = tap.instead();
      return instead == null ? super.isFilterDone() : instead.isFilterDone();
    }

    @Override
    public synchronized boolean reseek(byte[] row) throws IOException {
      RegionScanner instead = tap.instead();
      if (instead != null) {
        return instead.reseek(row);
      }
      tap.moved();
      return super.reseek(row);
    }

    @Override
    public void shipped() throws IOException {
      super.shipped();
      tap.shipped();
    }

    @Override
    public synchronized void close() {
      super.close();
      tap.closed();
    }
  }

  private static final class Reversed extends ReversedRegionScannerImpl {
    private final Tap tap;

    Reversed(
        HRegion region,
        Scan scan,
        @Nullable List<KeyValueScanner> more,
        long nonceGroup,
        long nonce,
        Tap tap)
        throws IOException {
      super(scan, more, region, nonceGroup, nonce);
      this.tap = tap;
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      return tap.next(super::nextRaw, result, context, getMvccReadPoint());
    }

    @Override
    public synchronized boolean isFilterDone() throws IOException {
      RegionScanner instead = tap.instead();
      return instead == null ? super.isFilterDone() : instead.isFilterDone();
    }

    @Override
    public synchronized boolean reseek(byte[] row) throws IOException {
      RegionScanner instead = tap.instead();
      if (instead != null) {
        return instead.reseek(row);
      }
      tap.moved();
      return super.reseek(row);
    }

    @Override
    public void shipped() throws IOException {
      super.shipped();
      tap.shipped();
    }

    @Override
    public synchronized void close() {
      super.close();
      tap.closed();
    }
  }
}
