package io.ishbase.plugin.prewarm;

import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;

/** What pre-warming must know of a store that HBase does not say. */
public interface Prewarmed {
  /** The region server, or null if none has opened the store's region. */
  @Nullable RegionServerServices services();

  /** Whether reads may go to the storage nodes without their asking for it. */
  boolean readsInStorage();

  /** Whether reads may still see files that a compaction has replaced. */
  boolean readsReplacedFiles();
}
