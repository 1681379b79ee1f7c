package io.ishbase.plugin.hbase;

import java.io.IOException;
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

  /** Opens a scanner. */
  public interface Opening<T> {
    /** The scanner. */
    T open() throws IOException;
  }

  /** Opens a region's scanner of {@code scan}. */
  public static <T> T of(Scan scan, Opening<T> opening) throws IOException {
    if (!scan.hasFilter()) {
      return opening.open();
    }
    // Of a hook that reads by itself meanwhile.
    Scan outer = OPENED.get();
    OPENED.set(scan);
    try {
      return opening.open();
    } finally {
      if (outer == null) {
        OPENED.remove();
      } else {
        OPENED.set(outer);
      }
    }
  }

  /** Whether a filter of {@code scan} is asked about rows by nobody. */
  public static boolean isOfStoreAlone(Scan scan) {
    return scan.hasFilter() && OPENED.get() != scan;
  }
}
