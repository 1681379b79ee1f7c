package io.ishbase.plugin.regionserver;

import org.apache.hadoop.hbase.regionserver.HRegion;

/** What operators see of a region server, for tests without one. */
public final class Inside {
  private Inside() {}

  public static StorageNodesMXBean nodes(HRegion region) {
    return ((InStorageRegion) region).nodes();
  }
}
