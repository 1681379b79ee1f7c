package io.ishbase.plugin.prewarm;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.core.hot.WarmUpPace;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.scan.ReadContext;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hbase.regionserver.HStore;

/** A fetch of hot rows without the threads that it has in a region server. */
public final class HotRowsFetching {
  private HotRowsFetching() {}

  /** Fetches them as fast as they come. */
  public static void fetch(
      HStore store,
      Prewarmed about,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      HotIntervals hot)
      throws IOException, InterruptedException {
    new HotRowsFetch(
            store,
            about,
            cache,
            all,
            context,
            new WarmUpPace(Long.MAX_VALUE),
            new CountDownLatch(1))
        .fetch(hot, nanos -> false);
  }
}
