package org.apache.hadoop.hbase.regionserver;

import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.TimeRange;
import org.jspecify.annotations.NullMarked;

/**
 * The package-private members of HBase 2.6's stores and their files that the plug-in relies on:
 * {@code StoreFileScanner.getReader()}, {@code StoreFileReader.passesTimerangeFilter(TimeRange,
 * long)}, and, in 2.6.1, {@code HStore.getStoreContext()}.
 */
@NullMarked
public final class StoreFileScannerAccess {
  private StoreFileScannerAccess() {}

  /** What a store's files are written with. */
  public static StoreContext context(HStore store) {
    return store.getStoreContext();
  }

  public static StoreFileReader reader(StoreFileScanner scanner) {
    return scanner.getReader();
  }

  /** Greatest sequence id of the file's cells; greater than any read point if it is not known. */
  public static long maxSequenceId(StoreFileScanner scanner) {
    long id = scanner.getReader().getSequenceID();
    return id < 0 ? Long.MAX_VALUE : id;
  }

  /**
   * As HBase's own file scanner decides whether a scan needs the file, but without its Bloom
   * filter: that would be read over the network, and the storage daemon asks it anyway.
   *
   * @param checkKeys whether a file counts out that has only other rows
   */
  public static boolean mayHoldCells(
      StoreFileScanner scanner,
      Scan scan,
      HStore store,
      long oldestUnexpiredTs,
      boolean checkKeys) {
    StoreFileReader reader = scanner.getReader();
    TimeRange timeRange =
        scan.getColumnFamilyTimeRange().get(store.getColumnFamilyDescriptor().getName());
    return reader.passesTimerangeFilter(
            timeRange == null ? scan.getTimeRange() : timeRange, oldestUnexpiredTs)
        && (!checkKeys || reader.passesKeyRangeFilter(scan));
  }
}
