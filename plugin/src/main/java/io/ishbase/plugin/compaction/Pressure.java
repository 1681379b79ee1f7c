package io.ishbase.plugin.compaction;

import java.util.function.DoubleSupplier;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;

/**
 * HBase's compaction pressure as a compaction feels it: that of the store that is closest to
 * blocking writes, of all stores of the region server, for it may be the next that needs this
 * compaction's thread.
 */
record Pressure(DoubleSupplier ofStore, DoubleSupplier ofRegionServer) {
  static Pressure of(HStore store, RegionServerServices services) {
    return new Pressure(store::getCompactionPressure, services::getCompactionPressure);
  }

  /** 1 and more: a store blocks writes. */
  double now() {
    return Math.max(ofStore.getAsDouble(), ofRegionServer.getAsDouble());
  }

  boolean blocksWrites() {
    return now() >= 1;
  }
}
