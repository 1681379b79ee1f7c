package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;

/**
 * A store with a context that is not HBase's. HBase 2.6.4 lets anybody override {@code
 * getStoreContext}, 2.6.1 only this package.
 */
public abstract class IssnStore extends HStore {
  /** As HBase's own. */
  protected IssnStore(
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
