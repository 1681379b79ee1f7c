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

  /**
   * By how much this machine's clock is ahead of that by which the store is read, in milliseconds;
   * not below 0.
   */
  protected abstract long aheadMillis();

  // HBase asks for it, then for the time, and expires cells by both.
  @Override
  public final ScanInfo getScanInfo() {
    return later(super.getScanInfo(), aheadMillis());
  }

  /** The same rules, by which cells expire, and markers are purged, so much later. */
  static ScanInfo later(ScanInfo rules, long millis) {
    if (millis == 0) {
      return rules;
    }
    long purge = rules.getTimeToPurgeDeletes();
    return rules.customize(
        rules.getMaxVersions(),
        later(rules.getTtl(), millis),
        rules.getKeepDeletedCells(),
        rules.getMinVersions(),
        // None means at once, whatever the time.
        purge == 0 ? 0 : later(purge, millis));
  }

  private static long later(long span, long millis) {
    return span > Long.MAX_VALUE - millis ? span : span + millis;
  }
}
