package io.ishbase.plugin.aggregate;

import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.scan.ReadPlan;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.protocol.Protocol;
import java.io.IOException;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * That a scan of one store, about to be opened on this thread, is wanted for an aggregate only. A
 * store that looks at the wish grants or refuses it. Then the region's scanner returns nothing. If
 * it is granted, that scanner holds the read point, and what would have been read is a {@link
 * NodeAggregate}. For use by one thread, once.
 */
public final class AggregateWish implements AutoCloseable {
  private static final ThreadLocal<AggregateWish> CURRENT = new ThreadLocal<>();

  private final Scan scan;
  private @Nullable NodeAggregate granted;
  private boolean isRefused;

  AggregateWish(Scan scan) {
    this.scan = scan;
  }

  /** Opens the scan, which the store may look upon as this wish. */
  RegionScanner open(HRegion region) throws IOException {
    CURRENT.set(this);
    try {
      return region.getScanner(scan);
    } finally {
      CURRENT.remove();
    }
  }

  /** The wish of who opens {@code scan} on this thread; null: there is none. */
  @SuppressWarnings("ReferenceEquality") // another scan may be equal
  public static @Nullable AggregateWish of(Scan scan) {
    AggregateWish wish = CURRENT.get();
    return wish != null && wish.scan == scan ? wish : null;
  }

  /**
   * Grants it, if one daemon that answers aggregates has all files that may hold some of the rows;
   * else refuses it. Takes over the plan's scanners if it is granted.
   *
   * @return whether it is granted
   */
  public boolean grant(HStore store, ReadContext context, ReadSpec read, ReadPlan plan)
      throws IOException {
    if (granted == null && maySuit(context, read, plan)) {
      ReadPlan.Part part = plan.parts().iterator().next();
      granted = NodeAggregate.of(store, context, read, part, plan.others());
      isRefused = granted == null;
      if (granted == null) {
        context.health().aggregateUntried(part.node());
      }
      return granted != null;
    }
    isRefused = true;
    return false;
  }

  private static boolean maySuit(ReadContext context, ReadSpec read, ReadPlan plan) {
    return read.readPoint() < Long.MAX_VALUE
        // At one of 0 no second scanner could be opened.
        && read.readPoint() > 0
        // Its named columns do not always get on in HBase 2.6.
        && !read.family().isNewVersionBehavior()
        && fits(read.columns())
        && plan.parts().size() == 1
        && plan.hasAllFiles()
        && plan.parts().iterator().next().node().aggregates()
        && context.health().admitsAggregates(plan.parts().iterator().next().node());
  }

  private static boolean fits(@Nullable NavigableSet<byte[]> columns) {
    return columns == null
        || columns.size() <= Protocol.MAX_COLUMNS
            && columns.stream().mapToLong(column -> column.length).sum()
                <= Protocol.MAX_PUSHED_BYTES;
  }

  /** Whether the scan is to be opened anew, without a wish. */
  boolean isRefused() {
    return isRefused;
  }

  /** What was granted; null: nothing. */
  @Nullable NodeAggregate granted() {
    return granted;
  }

  @Override
  public void close() {
    if (granted != null) {
      granted.close();
    }
  }
}
