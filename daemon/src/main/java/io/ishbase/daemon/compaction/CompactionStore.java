package io.ishbase.daemon.compaction;

import java.io.IOException;
import java.util.Collection;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.IssnStore;
import org.apache.hadoop.hbase.regionserver.StoreContext;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreUtils;

/** The store of an attempt: {@link AttemptStore}. */
final class CompactionStore extends IssnStore {
  private OptionalLong maxSequenceId = OptionalLong.empty();

  CompactionStore(CompactionRegion region, ColumnFamilyDescriptor family, Configuration conf)
      throws IOException {
    super(region, family, conf, false);
  }

  @Override
  protected StoreEngine<?, ?, ?, ?> createStoreEngine(
      HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
    return AttemptStore.engine(store, storeConf, comparator);
  }

  /**
   * The files are those with the store's greatest sequence id, which the region server knows. Then
   * HBase's date-tiered compactor writes a file for it even if no cell stays.
   */
  void hasAsNewest(Collection<HStoreFile> files) {
    maxSequenceId = StoreUtils.getMaxSequenceIdInList(files);
  }

  @Override
  public OptionalLong getMaxSequenceId() {
    return maxSequenceId;
  }

  @Override
  protected StoreContext context(StoreContext own) {
    return AttemptStore.context(own, (CompactionRegion) getHRegion(), conf);
  }
}
