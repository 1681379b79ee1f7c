package io.ishbase.plugin.snapshot;

import io.ishbase.core.Setting;
import io.ishbase.plugin.regionserver.InStorageRegion;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.wal.WAL;
import org.jspecify.annotations.Nullable;

/**
 * A region of a snapshot, opened by a client, whose files are read by the storage daemons. {@code
 * hbase.hregion.impl} may name it where snapshots are read: in the configuration of {@link
 * InStorageSnapshotScanner}, of HBase's {@code TableSnapshotScanner} or of a job with {@code
 * TableSnapshotInputFormat}, never in a server's.
 *
 * <p>Relies on HBase 2.6: {@code ClientSideRegionScanner} makes the region by this constructor,
 * without WAL and services, of a table that is read only.
 */
public final class SnapshotRegion extends InStorageRegion {
  /** For HBase, which calls it by reflection. */
  public SnapshotRegion(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo region,
      TableDescriptor table,
      @Nullable RegionServerServices services) {
    super(tableDirectory, wal, fs, withoutCache(conf), region, table, checked(services), true);
  }

  /** What a scan reads once is kept by nobody. */
  private static Configuration withoutCache(Configuration conf) {
    Configuration without = new Configuration(conf);
    without.setLong(Setting.CACHE_BYTES.key(), 0);
    return without;
  }

  private static @Nullable RegionServerServices checked(@Nullable RegionServerServices services) {
    if (services != null) {
      throw new IllegalStateException(
          "hbase.hregion.impl of a server names "
              + SnapshotRegion.class.getName()
              + ", which is for readers of snapshots: name "
              + InStorageRegion.class.getName());
    }
    return null;
  }
}
