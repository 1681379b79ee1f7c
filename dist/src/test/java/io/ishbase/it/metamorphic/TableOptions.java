package io.ishbase.it.metamorphic;

import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * HBase's descriptors, from the options of a file of operations: those of a family say what HBase
 * answers, those of a configuration how it comes by that.
 */
final class TableOptions {
  /** Bytes of a row that a Bloom filter of prefixes takes. */
  static final String PREFIX_LENGTH = "5";

  /** Of a memstore's limit: so little that it is compacted in memory again and again. */
  private static final String IN_MEMORY_FLUSH = "0.000002";

  private TableOptions() {}

  /**
   * @param families of the file
   * @param configuration options; those with a dot in them are values of the table
   */
  static TableDescriptor descriptor(
      TableName name,
      Map<String, Map<String, String>> families,
      Map<String, String> configuration) {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name)
            // One that begins by itself would do so at another moment each time.
            .setCompactionEnabled(false)
            // No server is killed here, so nothing needs to be on disk.
            .setDurability(Durability.ASYNC_WAL);
    families.forEach(
        (family, answers) -> {
          ColumnFamilyDescriptorBuilder builder =
              ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family));
          answers.forEach((key, value) -> set(builder, key, value));
          configuration.forEach((key, value) -> set(builder, key, value));
          table.setColumnFamily(builder.build());
        });
    configuration.forEach((key, value) -> set(table, key, value));
    return table.build();
  }

  private static void set(TableDescriptorBuilder table, String key, String value) {
    switch (key) {
      case "replicas" -> table.setRegionReplication(Integer.parseInt(value));
      case "engine" -> engine(table, value);
      case "memstore" -> inMemory(table);
      default -> {
        if (key.contains(".")) {
          table.setValue(key, value);
          if (key.equals("ishbase.memstore")) {
            inMemory(table);
          }
        }
      }
    }
  }

  private static void inMemory(TableDescriptorBuilder table) {
    table.setValue("hbase.memstore.inmemoryflush.threshold.factor", IN_MEMORY_FLUSH);
  }

  private static void engine(TableDescriptorBuilder table, String engine) {
    switch (engine) {
      case "stripe" ->
          table
              .setValue("hbase.hstore.engine.class", StripeStoreEngine.class.getName())
              .setValue("hbase.store.stripe.initialStripeCount", "3");
      case "date-tiered" ->
          table.setValue("hbase.hstore.engine.class", DateTieredStoreEngine.class.getName());
      case "default" -> {}
      default -> throw new IllegalArgumentException("engine: " + engine);
    }
  }

  /** Options of a family: all but those of tables and of the test itself. */
  private static void set(ColumnFamilyDescriptorBuilder family, String key, String value) {
    switch (key) {
      case "versions" ->
          family.setMaxVersions(value.equals("all") ? Integer.MAX_VALUE : Integer.parseInt(value));
      case "min-versions" -> family.setMinVersions(Integer.parseInt(value));
      case "ttl" ->
          family.setTimeToLive(
              value.equals("forever") ? HConstants.FOREVER : Integer.parseInt(value));
      case "keep-deleted" -> family.setKeepDeletedCells(KeepDeletedCells.valueOf(value));
      case "codec" -> family.setCompressionType(Compression.Algorithm.valueOf(value));
      case "encoding" -> family.setDataBlockEncoding(DataBlockEncoding.valueOf(value));
      case "bloom" ->
          family
              .setBloomFilterType(BloomType.valueOf(value))
              .setConfiguration(BloomFilterUtil.PREFIX_LENGTH_KEY, PREFIX_LENGTH);
      case "block" -> family.setBlocksize(Integer.parseInt(value));
      case "memstore" -> family.setInMemoryCompaction(MemoryCompactionPolicy.valueOf(value));
      case "mob" -> family.setMobEnabled(true).setMobThreshold(Long.parseLong(value));
      case "block-cache" -> family.setBlockCacheEnabled(Boolean.parseBoolean(value));
      case "tags" -> family.setCompressTags(value.equals("compressed"));
      default -> {}
    }
  }

  /** The family, altered. */
  static ColumnFamilyDescriptor altered(
      ColumnFamilyDescriptor family, Map<String, String> options) {
    ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(family);
    options.forEach((key, value) -> set(builder, key, value));
    return builder.build();
  }
}
