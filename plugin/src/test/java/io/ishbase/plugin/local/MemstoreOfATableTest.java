package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Regions of a table that chooses our memstore, and has other settings of memstores. */
class MemstoreOfATableTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir private Path directory;

  /** Without {@code ishbase.memstore} HBase would not look at them: no one has to mend them. */
  @ParameterizedTest
  @CsvSource({
    "ishbase.memory, auto",
    "hbase.hregion.compacting.pipeline.segments.limit, many",
    "hbase.hregion.compacting.pipeline.segments.limit, -1",
    "hbase.memstore.inmemoryflush.threshold.factor, much",
    "hbase.memstore.inmemoryflush.threshold.factor, -1",
    "hbase.hregion.compacting.memstore.type, ?"
  })
  void opensWhateverHBasesSettingsAre(String key, String value) throws Exception {
    TableName name = TableName.valueOf("t");
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setValue(Setting.MEMSTORE.key(), "auto")
            .setValue(key, value);
    try (LocalRegion region =
        new LocalRegion(
            directory, RegionInfoBuilder.newBuilder(name).build(), table.build(), 1, false, 0)) {
      assertThat(region.region().getStore(FAMILY).isSloppyMemStore()).isTrue();
      byte[] row = Bytes.toBytes("row");
      region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
      assertThat(region.get(new Get(row), LocalRegion.STOCK)).hasSize(1);
      region.region().flush(true);
      assertThat(region.get(new Get(row), LocalRegion.STOCK)).hasSize(1);
    }
  }
}
