package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.regionserver.Inside;
import io.ishbase.plugin.regionserver.StorageNodesMXBean;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a store of a region does not open, HBase never closes those that open after it. */
class ForgottenStoreTest {
  @TempDir private Path directory;

  @Test
  void keepsNoPlaceInTheCache() throws IOException {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
            .build();
    try (LocalRegion local =
        new LocalRegion(
            directory,
            RegionInfoBuilder.newBuilder(table.getTableName()).build(),
            table,
            1,
            false,
            1 << 20)) {
      HRegion region = local.region();
      StorageNodesMXBean server = Inside.nodes(region);
      assertThat(server.getCachedStores()).hasSize(1);
      Inside.makeForgottenStore(region);
      assertThat(server.getCachedStores()).hasSize(2);
      region.close();
      assertThat(server.getCachedStores()).isEmpty();
      Inside.makeForgottenStore(region);
      assertThat(server.getCachedStores()).isEmpty();
    }
  }
}
