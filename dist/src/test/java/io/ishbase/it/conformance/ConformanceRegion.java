package io.ishbase.it.conformance;

import io.ishbase.plugin.regionserver.InStorageRegion;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.wal.WAL;

/**
 * The product's region inside HBase's own tests: before a region of a user table opens, a daemon
 * stands beside its file system.
 */
public final class ConformanceRegion extends InStorageRegion {
  public ConformanceRegion(
      HRegionFileSystem regionFs,
      WAL wal,
      Configuration conf,
      TableDescriptor table,
      RegionServerServices services) {
    super(
        regionFs, wal, DaemonsInJvm.beside(regionFs.getFileSystem(), conf, table), table, services);
  }

  @SuppressWarnings("deprecation") // HBase's tests make regions in this way
  public ConformanceRegion(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo region,
      TableDescriptor table,
      RegionServerServices services) {
    super(tableDirectory, wal, fs, DaemonsInJvm.beside(fs, conf, table), region, table, services);
  }
}
