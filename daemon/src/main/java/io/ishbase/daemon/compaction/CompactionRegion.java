package io.ishbase.daemon.compaction;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.TimeZone;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.jspecify.annotations.Nullable;

/**
 * A region that is never opened: what HBase's store and compactor ask a region for, answered with
 * what the region server said of its own.
 */
final class CompactionRegion extends HRegion {
  private final InetSocketAddress @Nullable [] favoredNodes;
  private final Collection<String> compacted;
  private final BooleanSupplier goesOn;

  /**
   * Makes one.
   *
   * @param readPoint the smallest read point of the store's readers
   * @param favoredNodes DataNodes that shall hold the new file; null: any
   * @param compacted names of files of the store that were compacted and are not archived yet
   * @param goesOn whether the compaction shall go on
   */
  CompactionRegion(
      HRegionFileSystem fs,
      Configuration conf,
      TableDescriptor table,
      long readPoint,
      InetSocketAddress @Nullable [] favoredNodes,
      Collection<String> compacted,
      BooleanSupplier goesOn) {
    super(fs, null, conf, table, null);
    this.favoredNodes = favoredNodes;
    this.compacted = compacted;
    this.goesOn = goesOn;
    getMVCC().advanceTo(readPoint);
  }

  /** The store of its family; one with large objects dates their files by {@code zone}. */
  HStore store(TimeZone zone) throws IOException {
    ColumnFamilyDescriptor family = getTableDescriptor().getColumnFamilies()[0];
    return family.isMobEnabled()
        ? new MobCompactionStore(this, family, conf, zone)
        : new CompactionStore(this, family, conf);
  }

  InetSocketAddress @Nullable [] favoredNodes() {
    return favoredNodes;
  }

  Collection<String> compacted() {
    return compacted;
  }

  @Override
  public boolean areWritesEnabled() {
    return goesOn.getAsBoolean();
  }
}
