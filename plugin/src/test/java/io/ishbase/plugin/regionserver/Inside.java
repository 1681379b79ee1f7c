package io.ishbase.plugin.regionserver;

import io.ishbase.core.Gate;
import io.ishbase.core.Gates;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.plugin.prewarm.HotRowsFetching;
import io.ishbase.plugin.prewarm.Prewarmed;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;

/** What operators see of a region server, for tests without one. */
public final class Inside {
  private Inside() {}

  public static StorageNodesMXBean nodes(HRegion region) {
    return ((InStorageRegion) region).nodes();
  }

  /** Lets the gates of all Gets take blocks, for as long as a test takes. */
  public static void preferBlocks(HRegion region) {
    for (HStore store : region.getStores()) {
      Gates gates =
          ((InStorageRegion) region)
              .nodes()
              .gates(store.getTableName(), store.getColumnFamilyName());
      for (int bits = 0; bits < 8; bits++) {
        Gate gate = gates.of(Gates.Kind.ofGet((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
        while (gate.route() != Gate.Route.BLOCK) {
          Gate.Choice choice = gate.choose();
          gate.observe(choice, choice.route() == Gate.Route.BLOCK ? 1e5 : 1e12);
        }
      }
    }
  }

  /** Lets no comparison with what HBase reads end early, however slow the machine is. */
  public static void compareAtLeisure(HRegion region) {
    ((InStorageRegion) region).nodes().shadows().mayTake(TimeUnit.MINUTES.toMillis(1));
  }

  /** Makes a store of its first family that HBase's region does not know. */
  public static void makeForgottenStore(HRegion region) throws IOException {
    ((InStorageRegion) region)
        .instantiateHStore(region.getTableDescriptor().getColumnFamilies()[0], false);
  }

  /** Has hot rows of the region's only family fetched. */
  public static void fetchHotRows(HRegion region, HotIntervals hot)
      throws IOException, InterruptedException {
    RegionServerNodes nodes = ((InStorageRegion) region).nodes();
    HStore store = region.getStores().get(0);
    HotRowsFetching.fetch(
        store, (Prewarmed) store, nodes.openCached(store), nodes.cache(), nodes.reads(), hot);
  }
}
