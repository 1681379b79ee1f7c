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
 * stands beside its file system. A region that a test opens without a region server, or with the
 * mock of one, has its compactions offloaded like any other.
 */
public class ConformanceRegion extends InStorageRegion {
  private final Configuration siteConf;
  private RegionServerServices services;

  public ConformanceRegion(
      HRegionFileSystem regionFs,
      WAL wal,
      Configuration conf,
      TableDescriptor table,
      RegionServerServices services) {
    super(
        regionFs,
        wal,
        DaemonsInJvm.beside(regionFs.getFileSystem(), regionFs.getTableDir(), conf, table),
        table,
        services);
    this.siteConf = conf;
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
    super(
        tableDirectory,
        wal,
        fs,
        DaemonsInJvm.beside(fs, tableDirectory, conf, table),
        region,
        table,
        services);
    this.siteConf = conf;
  }

  /** Never null, and with all that a compaction asks for. */
  @Override
  public synchronized RegionServerServices services() {
    // It is to go to the daemon of this region, whichever opened last.
    DaemonsInJvm.beside(
        getRegionFileSystem().getFileSystem(),
        getRegionFileSystem().getTableDir(),
        siteConf,
        getTableDescriptor());
    if (services == null) {
      services = StandInServices.orReal(super.services(), siteConf);
    }
    return services;
  }
}
