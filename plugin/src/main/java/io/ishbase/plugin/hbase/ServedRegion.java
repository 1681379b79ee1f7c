package io.ishbase.plugin.hbase;

import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;

/** A region that says who serves it, and what of: HBase's own keeps that to itself. */
public interface ServedRegion {
  /** The region server, or null if none has opened the region. */
  @Nullable RegionServerServices services();

  /** Whether it is one of a snapshot, outside of the HBase root: nobody will ever write to it. */
  boolean isOfSnapshot();
}
