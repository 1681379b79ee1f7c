package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * HBase's reverse scanner of a store with large objects, for others to extend. In this package
 * because of the constructor of HBase 2.6's {@code ReversedMobStoreScanner}.
 */
@NullMarked
public class OpenReversedMobStoreScanner extends ReversedMobStoreScanner {
  protected OpenReversedMobStoreScanner(
      HStore store,
      ScanInfo family,
      Scan scan,
      @Nullable NavigableSet<byte[]> columns,
      long readPoint)
      throws IOException {
    super(store, family, scan, columns, readPoint);
  }
}
