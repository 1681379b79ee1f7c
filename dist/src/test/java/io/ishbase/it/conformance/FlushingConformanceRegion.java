package io.ishbase.it.conformance;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.RegionScannerImpl;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.wal.WAL;

/** The product's region, flushed before each read. */
public final class FlushingConformanceRegion extends ConformanceRegion {
  public FlushingConformanceRegion(
      HRegionFileSystem regionFs,
      WAL wal,
      Configuration conf,
      TableDescriptor table,
      RegionServerServices services) {
    super(regionFs, wal, conf, table, services);
  }

  public FlushingConformanceRegion(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo region,
      TableDescriptor table,
      RegionServerServices services) {
    super(tableDirectory, wal, fs, conf, region, table, services);
  }

  @Override
  protected RegionScannerImpl instantiateRegionScanner(
      Scan scan, List<KeyValueScanner> additionalScanners, long nonceGroup, long nonce)
      throws IOException {
    FlushBeforeRead.flush(this, services());
    return super.instantiateRegionScanner(scan, additionalScanners, nonceGroup, nonce);
  }
}
