package io.ishbase.plugin.regionserver;

import io.ishbase.core.hot.HotInterval;
import io.ishbase.plugin.prewarm.HotRowsFetching;
import io.ishbase.plugin.prewarm.Prewarmed;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;

/** What operators see of a region server, for tests without one. */
public final class Inside {
  private Inside() {}

  public static StorageNodesMXBean nodes(HRegion region) {
    return ((InStorageRegion) region).nodes();
  }

  /** Has hot rows of the region's only family fetched. */
  public static void fetchHotRows(HRegion region, List<HotInterval> hot)
      throws IOException, InterruptedException {
    RegionServerNodes nodes = ((InStorageRegion) region).nodes();
    HStore store = region.getStores().get(0);
    HotRowsFetching.fetch(
        store, (Prewarmed) store, nodes.openCached(store), nodes.cache(), nodes.reads(), hot);
  }
}
