package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * HBase's scanners of a region, which tell a watch what they give. In this package because of the
 * constructors of HBase 2.6's {@code RegionScannerImpl} and {@code ReversedRegionScannerImpl}.
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

  private WatchedRegionScanners() {}

  /** As HBase makes it, but watched. */
  public static RegionScannerImpl of(
      HRegion region,
      Scan scan,
      @Nullable List<KeyValueScanner> more,
      long nonceGroup,
      long nonce,
      Watch watch)
      throws IOException {
    if (!scan.isReversed()) {
      return new Forward(region, scan, more, nonceGroup, nonce, watch);
    }
    if (scan.getFilter() != null) {
      scan.getFilter().setReversed(true);
    }
    return new Reversed(region, scan, more, nonceGroup, nonce, watch);
  }

  private static void tell(Watch watch, List<Cell> result, int before) {
    if (result.size() > before) {
      watch.gave(before == 0 ? result : result.subList(before, result.size()));
    }
  }

  private static final class Forward extends RegionScannerImpl {
    private final Watch watch;

    Forward(
        HRegion region,
        Scan scan,
        @Nullable List<KeyValueScanner> more,
        long nonceGroup,
        long nonce,
        Watch watch)
        throws IOException {
      super(scan, more, region, nonceGroup, nonce);
      this.watch = watch;
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      int before = result.size();
      boolean hasMore = super.nextRaw(result, context);
      tell(watch, result, before);
      return hasMore;
    }

    @Override
    public synchronized void close() {
      super.close();
      watch.closed();
    }
  }

  private static final class Reversed extends ReversedRegionScannerImpl {
    private final Watch watch;

    Reversed(
        HRegion region,
        Scan scan,
        @Nullable List<KeyValueScanner> more,
        long nonceGroup,
        long nonce,
        Watch watch)
        throws IOException {
      super(scan, more, region, nonceGroup, nonce);
      this.watch = watch;
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      int before = result.size();
      boolean hasMore = super.nextRaw(result, context);
      tell(watch, result, before);
      return hasMore;
    }

    @Override
    public synchronized void close() {
      super.close();
      watch.closed();
    }
  }
}
