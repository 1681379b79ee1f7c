package io.ishbase.plugin.local;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.DefaultStoreFlusher;
import org.apache.hadoop.hbase.regionserver.HStore;

/** A flusher that is not HBase's own. */
public final class PlainFlusher extends DefaultStoreFlusher {
  /** As HBase makes it. */
  public PlainFlusher(Configuration conf, HStore store) {
    super(conf, store);
  }
}
