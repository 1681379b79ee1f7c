package io.ishbase.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** A table of YCSB's core workload: one region, one family, one field of a fixed size. */
public final class YcsbTable {
  private static final int LOADERS = 4;
  private static final long COMPACTION_DEADLINE_MINUTES = 20;

  private final Connection connection;
  private final TableName name;
  private final int rows;
  private final int valueBytes;

  public YcsbTable(Connection connection, String name, int rows, int valueBytes) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
    this.rows = rows;
    this.valueBytes = valueBytes;
  }

  public long dataBytes() {
    return (long) rows * valueBytes;
  }

  /** Makes the table anew, loads it, and brings it into one HFile. */
  public void load() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(name)) {
        admin.disableTable(name);
        admin.deleteTable(name);
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(HBaseBinding.FAMILY))
              .setRegionSplitPolicyClassName(
                  "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
              .build());
      try (Progress progress = new Progress("Loading " + rows + " rows", rows)) {
        CoreWorkload workload = workload("uniform");
        List<Callable<Void>> loaders = new ArrayList<>();
        for (int loader = 0; loader < LOADERS; loader++) {
          int share = rows / LOADERS + (loader < rows % LOADERS ? 1 : 0);
          loaders.add(
              () -> {
                HBaseBinding binding = new HBaseBinding(connection, name, ReadMode.STOCK);
                for (int row = 0; row < share; row++) {
                  if (!workload.doInsert(binding, null)) {
                    throw new IOException("A row was not stored");
                  }
                  progress.add(1);
                }
                binding.cleanup();
                return null;
              });
        }
        runAll(loaders);
      }
      admin.flush(name);
      compact(admin);
    }
  }

  private void compact(Admin admin) throws IOException {
    try (Progress progress = new Progress("Compacting into one file", 1)) {
      admin.majorCompact(name);
      Wait.until(
          "the compaction of " + name,
          TimeUnit.MINUTES.toMillis(COMPACTION_DEADLINE_MINUTES),
          () -> {
            progress.add(0);
            return admin.getCompactionState(name) == CompactionState.NONE && storeFiles(admin) == 1;
          });
    }
  }

  private int storeFiles(Admin admin) throws IOException {
    int files = 0;
    for (var server : admin.getRegionServers()) {
      for (var region : admin.getRegionMetrics(server, name)) {
        files += region.getStoreFileCount();
      }
    }
    return files;
  }

  /**
   * Gets rows from many threads for a while.
   *
   * @param distribution YCSB's {@code uniform} or {@code zipfian}
   */
  public Window gets(
      ReadMode mode, String distribution, int threads, double seconds, ByteCounter counter)
      throws IOException {
    CoreWorkload workload = workload(distribution);
    List<HBaseBinding> bindings = new ArrayList<>();
    List<Callable<Void>> clients = new ArrayList<>();
    long bytesBefore = counter.bytes();
    long start = System.nanoTime();
    long end = start + (long) (seconds * 1e9);
    for (int thread = 0; thread < threads; thread++) {
      HBaseBinding binding = new HBaseBinding(connection, name, mode);
      bindings.add(binding);
      clients.add(
          () -> {
            while (System.nanoTime() - end < 0) {
              workload.doTransaction(binding, null);
            }
            return null;
          });
    }
    runAll(clients);
    double took = (System.nanoTime() - start) / 1e9;
    long bytes = counter.bytes() - bytesBefore;
    Histogram micros = new Histogram(3);
    long values = 0;
    long failures = 0;
    for (HBaseBinding binding : bindings) {
      micros.add(binding.micros());
      values += binding.valueBytes();
      failures += binding.failures();
      binding.cleanup();
    }
    if (failures > 0) {
      throw new IOException(failures + " Gets of " + micros.getTotalCount() + " failed");
    }
    return new Window(mode, took, micros, values, bytes);
  }

  private static void runAll(List<Callable<Void>> tasks) throws IOException {
    ExecutorService pool = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> future : pool.invokeAll(tasks)) {
        future.get(1, TimeUnit.HOURS);
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IOException(e);
    } finally {
      pool.shutdownNow();
    }
  }

  private CoreWorkload workload(String distribution) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("recordcount", Integer.toString(rows));
    properties.setProperty("fieldcount", "1");
    properties.setProperty("fieldlength", Integer.toString(valueBytes));
    properties.setProperty("readproportion", "1");
    properties.setProperty("updateproportion", "0");
    properties.setProperty("requestdistribution", distribution);
    Measurements.setProperties(properties);
    CoreWorkload workload = new CoreWorkload();
    try {
      workload.init(properties);
    } catch (WorkloadException e) {
      throw new IOException(e);
    }
    return workload;
  }
}
