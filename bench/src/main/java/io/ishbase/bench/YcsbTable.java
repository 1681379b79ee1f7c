package io.ishbase.bench;

import java.io.IOException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * A table that YCSB's core workload fills: one region, one HFile, values of 1,000 bytes that follow
 * from their keys, so that every read can be checked.
 */
public final class YcsbTable {
  /** Bytes of a value. */
  public static final int VALUE_BYTES = 1000;

  static final String FAMILY = "f";

  private static final String NAME = "usertable";
  private static final int LOADERS = 4;
  private static final long FLUSH_BYTES = 384L << 20;

  private final Connection connection;
  private final long rows;

  public YcsbTable(Connection connection, long rows) {
    this.connection = connection;
    this.rows = rows;
  }

  Connection connection() {
    return connection;
  }

  /** Creates the table, loads it and brings it into one HFile. */
  public void load() throws IOException {
    TableName table = TableName.valueOf(NAME);
    Tables.recreate(
        connection,
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setRegionSplitPolicyClassName(
                "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
            .setMemStoreFlushSize(FLUSH_BYTES)
            .setDurability(Durability.ASYNC_WAL)
            .build());
    CoreWorkload workload = workload("uniform");
    AtomicLong left = new AtomicLong(rows);
    try (Progress progress = new Progress("loading " + rows + " YCSB rows of 1 KB", rows)) {
      Workers.run(
          LOADERS,
          worker -> {
            HBaseBinding binding = new HBaseBinding(connection, FAMILY, null, true);
            while (left.getAndDecrement() > 0) {
              if (!workload.doInsert(binding, null)) {
                throw new IOException("an insert failed");
              }
              progress.add(1);
            }
            binding.cleanup();
          });
      progress.note("flush, compaction");
      Tables.intoOneFile(connection, table);
      progress.done("one region, one HFile");
    }
  }

  /**
   * YCSB's core workload over the table: reads only, each value checked.
   *
   * @param distribution uniform or zipfian
   */
  CoreWorkload workload(String distribution) {
    Properties properties = new Properties();
    properties.setProperty("table", NAME);
    properties.setProperty("recordcount", Long.toString(rows));
    // YCSB wants to know, and uses it only for workloads that insert.
    properties.setProperty("operationcount", "1000000");
    properties.setProperty("fieldcount", "1");
    properties.setProperty("fieldlength", Integer.toString(VALUE_BYTES));
    properties.setProperty("dataintegrity", "true");
    properties.setProperty("readproportion", "1");
    properties.setProperty("updateproportion", "0");
    properties.setProperty("insertproportion", "0");
    properties.setProperty("scanproportion", "0");
    properties.setProperty("requestdistribution", distribution);
    Measurements.setProperties(properties);
    CheckedWorkload workload = new CheckedWorkload();
    try {
      workload.init(properties);
    } catch (WorkloadException e) {
      throw new IllegalArgumentException(distribution, e);
    }
    return workload;
  }
}
