package io.ishbase.plugin.compaction;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;

/** HBase's own region on the local file system, for tests of what is compacted of it. */
final class OneFamily {
  private OneFamily() {}

  /** Makes one of the table {@code t}, and has {@code conf} name the place. */
  static HRegion region(Configuration conf, Path directory, ColumnFamilyDescriptor family)
      throws IOException {
    conf.set("fs.defaultFS", "file:///");
    conf.set("hbase.rootdir", directory.toUri().toString());
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    TableName name = TableName.valueOf("t");
    RegionInfo info = RegionInfoBuilder.newBuilder(name).build();
    return HRegion.createHRegion(
        info,
        CommonFSUtils.getRootDir(conf),
        conf,
        TableDescriptorBuilder.newBuilder(name).setColumnFamily(family).build(),
        new WALFactory(conf, "local").getWAL(info));
  }
}
