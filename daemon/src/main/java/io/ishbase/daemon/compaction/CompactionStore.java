package io.ishbase.daemon.compaction;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.IssnStore;
import org.apache.hadoop.hbase.regionserver.StoreContext;
import org.apache.hadoop.hbase.regionserver.StoreEngine;

/** The store of an attempt: {@link AttemptStore}. */
final class CompactionStore extends IssnStore {
  CompactionStore(CompactionRegion region, ColumnFamilyDescriptor family, Configuration conf)
      throws IOException {
    super(region, family, conf, false);
  }

  @Override
  protected StoreEngine<?, ?, ?, ?> createStoreEngine(
      HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
    return AttemptStore.engine(store, storeConf, comparator);
  }

  @Override
  protected StoreContext context(StoreContext own) {
    return AttemptStore.context(own, (CompactionRegion) getHRegion(), conf);
  }
}
