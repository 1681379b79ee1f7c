package io.ishbase.plugin.compaction;

import java.util.function.DoubleSupplier;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;

/**
 * HBase's compaction pressure as a compaction feels it: that of the store that is closest to
 * blocking writes, of all stores of the region server, for it may be the next that needs this
 * compaction's thread.
 *
 * <p>HBase's own figure says 1 of stripes that block nothing, and counts stores that block nothing
 * because they may not be compacted.
 */
record Pressure(DoubleSupplier ofStore, DoubleSupplier ofRegionServer) {
  private static final int DEFAULT_BLOCKING_FILES = 16;

  static Pressure of(HStore store, RegionServerServices services) {
    return new Pressure(() -> of(store), () -> of(services));
  }

  /** Files of a store that make it block writes. */
  static int blockingFiles(HStore store) {
    return store
        .getReadOnlyConfiguration()
        .getInt(HStore.BLOCKING_STOREFILES_KEY, DEFAULT_BLOCKING_FILES);
  }

  private static double of(RegionServerServices services) {
    double most = 0;
    for (Region region : services.getRegions()) {
      // Without compactions none waits for one.
      if (region instanceof HRegion known && known.getTableDescriptor().isCompactionEnabled()) {
        for (HStore store : known.getStores()) {
          most = Math.max(most, of(store));
        }
      }
    }
    return most;
  }

  private static double of(HStore store) {
    double hbases = store.getCompactionPressure();
    // Of each store of the server: its settings are a copy, made where they count alone.
    return hbases < 1
        ? hbases
        : of(
            hbases,
            store.hasTooManyStoreFiles(),
            (double) store.getStorefilesCount() / blockingFiles(store));
  }

  /**
   * That of a store of which HBase says 1 or more.
   *
   * @param hbases what it says
   * @param fill its files over the number that blocks writes
   */
  static double of(double hbases, boolean blocksWrites, double fill) {
    return blocksWrites ? hbases : Math.min(fill, Math.nextDown(1.0));
  }

  /** 1 and more: a store blocks writes. */
  double now() {
    return Math.max(ofStore.getAsDouble(), ofRegionServer.getAsDouble());
  }

  boolean blocksWrites() {
    return now() >= 1;
  }
}
