package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;

/** As {@link IssnStore}, of a family with large objects. */
public abstract class IssnMobStore extends HMobStore {
  /** As HBase's own. */
  protected IssnMobStore(
      HRegion region, ColumnFamilyDescriptor family, Configuration conf, boolean warmup)
      throws IOException {
    super(region, family, conf, warmup);
  }

  /** Its context, where HBase's would be {@code own}; called while HBase constructs the store. */
  protected abstract StoreContext context(StoreContext own);

  @Override
  public final StoreContext getStoreContext() {
    return context(super.getStoreContext());
  }
}
