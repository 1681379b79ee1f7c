package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

final class SchemaChangeTest {
  private static final byte[] F = Bytes.toBytes("f");

  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
          .setValue("ishbase.read", "stock")
          .build();

  @Test
  void attributesAndConfigurationOfAFamily() {
    ColumnFamilyDescriptor family =
        SchemaChange.apply(
                table,
                "f",
                Map.of(
                    "BLOCKSIZE", "8192",
                    "COMPRESSION", "GZ",
                    "TTL", "1 DAY",
                    "ishbase.read", "auto",
                    "some.other", "x"))
            .getColumnFamily(F);

    assertThat(family.getBlocksize()).isEqualTo(8192);
    assertThat(family.getCompressionType()).isEqualTo(Compression.Algorithm.GZ);
    assertThat(family.getTimeToLive()).isEqualTo(86_400);
    assertThat(family.getConfigurationValue("ishbase.read")).isEqualTo("auto");
    assertThat(family.getConfigurationValue("some.other")).isEqualTo("x");
  }

  @Test
  void anEmptyValueTakesAKeyAway() {
    assertThat(SchemaChange.apply(table, null, Map.of("ishbase.read", "")).getValue("ishbase.read"))
        .isNull();
    TableDescriptor smallBlocks =
        SchemaChange.apply(table, "f", Map.of("BLOCKSIZE", "8192", "some.key", "x"));
    ColumnFamilyDescriptor back =
        SchemaChange.apply(smallBlocks, "f", Map.of("BLOCKSIZE", "", "some.key", ""))
            .getColumnFamily(F);
    assertThat(back.getBlocksize()).isEqualTo(64 << 10);
    assertThat(back.getConfigurationValue("some.key")).isNull();
  }

  @Test
  void whatCannotBeRightIsRefusedWithWhatWouldBe() {
    assertRefused(null, "ishbase.read", "ato", "must be one of stock | auto | in-storage");
    assertRefused(null, "ishbase.rea", "auto", "There is no setting ishbase.rea");
    assertRefused(
        null, "ishbase.cache.bytes", "1", "has no effect there, but as a setting of: site");
    assertRefused(
        "f", "ishbase.trace", "1", "has no effect there, but as a setting of: site, table");
    assertRefused(null, "BLOCKSIZE", "8192", "of a family: name it with --family");
    assertRefused("f", "READONLY", "true", "of a table: leave --family away");
    assertRefused("f", "BLOCKSIZ", "8192", "There is no attribute BLOCKSIZ here; there are: BLO");
    assertRefused("f", "BLOCKSIZE", "8k", "BLOCKSIZE=8k: must be a whole number");
    // HBase has them as numbers of that size.
    assertRefused("f", "BLOCKSIZE", "99999999999", "must be a whole number of 32 bits");
    assertRefused("f", "VERSIONS", "2147483648", "must be a whole number of 32 bits");
    assertRefused("f", "DFS_REPLICATION", "32768", "must be a whole number of 16 bits");
    assertRefused(null, "REGION_REPLICATION", "99999999999", "must be a whole number of 32 bits");
    assertRefused("f", "COMPRESSION", "zip", "must be one of LZO, GZ, NONE, SNAPPY");
    assertRefused("f", "TTL", "soon", "TTL=soon: must be seconds");
    assertRefused("g", "BLOCKSIZE", "1", "Table t has no family g; it has: f");
    assertRefused(null, "", "x", "KEY=VALUE needs a key");
  }

  private void assertRefused(String family, String key, String value, String why) {
    assertThatThrownBy(() -> SchemaChange.apply(table, family, Map.of(key, value)))
        .isInstanceOf(CliException.class)
        .hasMessageContaining(why);
  }
}
