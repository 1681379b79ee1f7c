package io.ishbase.plugin.hbase;

import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * The scan that a region opens scanners of its stores for, on the thread that does. A filter is
 * asked about whole rows by a region's scanner, not by a store's, which a coprocessor may use
 * alone: what daemons and cache leave out for such a filter it has to be shown.
 */
public final class RegionScan {
  private static final ThreadLocal<@Nullable Scan> OPENED = new ThreadLocal<>();

  private RegionScan() {}

  /**
   * From now on a region's scanner of {@code scan} is opened.
   *
   * @return what {@link #end} is to be given; null: nothing
   */
  public static @Nullable Scan begin(Scan scan) {
    if (!scan.hasFilter()) {
      return null;
    }
    // Of a hook that reads by itself meanwhile.
    Scan outer = OPENED.get();
    OPENED.set(scan);
    return outer;
  }

  /** It is open, or will not be. */
  public static void end(Scan scan, @Nullable Scan outer) {
    if (outer != null) {
      OPENED.set(outer);
    } else if (scan.hasFilter()) {
      OPENED.remove();
    }
  }

  /** Whether a filter of {@code scan} is asked about rows by nobody. */
  public static boolean isOfStoreAlone(Scan scan) {
    return scan.hasFilter() && OPENED.get() != scan;
  }
}
