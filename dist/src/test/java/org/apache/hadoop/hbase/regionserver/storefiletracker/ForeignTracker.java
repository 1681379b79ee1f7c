package org.apache.hadoop.hbase.regionserver.storefiletracker;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.StoreContext;

/**
 * A tracker that is not one of HBase's. In this package because what it extends is package-private.
 */
public final class ForeignTracker extends FileBasedStoreFileTracker {
  public ForeignTracker(Configuration conf, boolean isPrimaryReplica, StoreContext context) {
    super(conf, isPrimaryReplica, context);
  }
}
