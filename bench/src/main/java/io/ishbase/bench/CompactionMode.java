package io.ishbase.bench;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Where the compactions of a table are carried out, and what becomes of the block cache; values of
 * the table.
 */
public enum CompactionMode {
  /** By the region server; its block cache begins anew. */
  STOCK("stock", "none", false),
  /** The same; what is written goes into the block cache as well. */
  WRITE_THROUGH("stock", "none", true),
  /** By a worker; the block cache begins anew. */
  OFFLOAD("offload", "none", false),
  /** By a worker, from whose memory the block cache's misses are answered. */
  REMOTE("offload", "remote", false),
  /** By a worker; its blocks are cached before reads see the new file. */
  PRE_SWITCH("offload", "pre-switch", false),
  /** By a worker; its blocks take the place of old ones row by row. */
  INCREMENTAL("offload", "incremental", false),
  /** The same at a bounded rate. */
  THROTTLED("offload", "throttled", false);

  private final Map<String, String> values;

  CompactionMode(String where, String warmUp, boolean writeThrough) {
    values =
        Map.of(
            "ishbase.compaction",
            where,
            "ishbase.compaction.warmup",
            warmUp,
            "hbase.rs.cachecompactedblocksonwrite",
            Boolean.toString(writeThrough));
  }

  /** A table whose compactions are carried out in this way. */
  public TableDescriptorBuilder on(TableDescriptorBuilder table) {
    values.forEach(table::setValue);
    return table;
  }

  /** Switches a table over, which opens its regions anew unless it is switched already. */
  public void switchOver(Connection connection, TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor now = admin.getDescriptor(table);
      if (!values.entrySet().stream()
          .allMatch(value -> value.getValue().equals(now.getValue(value.getKey())))) {
        admin.modifyTable(on(TableDescriptorBuilder.newBuilder(now)).build());
      }
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
