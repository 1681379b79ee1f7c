package io.ishbase.plugin.regionserver;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;

/**
 * How a read whose store scanner HBase is making on this thread is to be answered: from a cached
 * row, or as {@code read} says. HBase's constructor asks the store for its scanners without saying
 * for which read; before that a coprocessor may begin reads of its own, of this store or of others,
 * on the same thread. A setup is therefore taken once, by the store and for the scan it was made
 * for, and every read of a store hides those around it.
 *
 * @param row null: not cached
 * @param read null if there is a cached row
 */
record ReadSetup(HStore store, Scan scan, long readPoint, CachedRowScanner row, NodeRead read) {
  private static final ThreadLocal<ReadSetup> CURRENT = new ThreadLocal<>();

  /** Makes a store scanner. */
  @FunctionalInterface
  interface Maker {
    KeyValueScanner make() throws IOException;
  }

  /** What {@code maker} makes by this setup. */
  KeyValueScanner make(Maker maker) throws IOException {
    return make(this, maker);
  }

  /** What {@code maker} makes as HBase does. */
  static KeyValueScanner makeStock(Maker maker) throws IOException {
    return make(null, maker);
  }

  private static KeyValueScanner make(ReadSetup setup, Maker maker) throws IOException {
    ReadSetup outer = CURRENT.get();
    CURRENT.set(setup);
    try {
      return maker.make();
    } finally {
      CURRENT.set(outer);
    }
  }

  /**
   * The setup of the store scanner that asks {@code store} for its scanners; null: as HBase does.
   */
  @SuppressWarnings("ArrayEquals") // another read may begin at an equal row
  static ReadSetup take(HStore store, byte[] startRow, long readPoint) {
    ReadSetup setup = CURRENT.get();
    if (setup == null
        || setup.store != store
        || setup.scan.getStartRow() != startRow
        || setup.readPoint != readPoint) {
      return null;
    }
    CURRENT.set(null);
    return setup;
  }
}
