package io.ishbase.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** What benchmarks do with whole tables. */
public final class Tables {
  private static final Duration COMPACTION_LIMIT = Duration.ofMinutes(15);
  private static final int QUIET_POLLS = 5;
  private static final int READ_AT_ONCE = 1000;
  private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

  private Tables() {}

  /** Creates a table, in place of one of that name if there is one. */
  public static void recreate(Connection connection, TableDescriptor descriptor)
      throws IOException {
    recreate(connection, descriptor, new byte[0][]);
  }

  /** The same with a region from each of {@code splits} on. */
  public static void recreate(Connection connection, TableDescriptor descriptor, byte[][] splits)
      throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableName name = descriptor.getTableName();
      if (admin.tableExists(name)) {
        if (admin.isTableEnabled(name)) {
          admin.disableTable(name);
        }
        admin.deleteTable(name);
      }
      admin.createTable(descriptor, splits);
    }
  }

  /** Writes the memstores out. */
  public static void flush(Connection connection, TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(name);
    }
  }

  /** Brings each store of a table into one HFile. */
  public static void intoOneFileEach(Connection connection, TableName name) throws IOException {
    flush(connection, name);
    try (Admin admin = connection.getAdmin()) {
      // What the region server reports may be some seconds old; a compaction of one file is cheap.
      long deadline = System.nanoTime() + COMPACTION_LIMIT.toNanos();
      int families = admin.getDescriptor(name).getColumnFamilyCount();
      boolean asked = false;
      while (!haveFiles(admin, name, families)) {
        if (!asked && admin.getCompactionState(name) == CompactionState.NONE) {
          admin.majorCompact(name);
          asked = true;
        }
        if (System.nanoTime() > deadline) {
          throw new IOException(
              name + ": not in one HFile after " + COMPACTION_LIMIT.toMinutes() + " min");
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Reads a whole table once, so that it is cached where {@code mode} reads it. */
  public static void readAll(Connection connection, TableName name, Mode mode) throws IOException {
    try (Table table = connection.getTable(name);
        ResultScanner rows = table.getScanner(mode.on(new Scan().setCaching(READ_AT_ONCE)))) {
      while (rows.next() != null) {
        // Nothing is wanted of it.
      }
    }
  }

  /** Empties the block caches of what they hold of a table. */
  public static void clearBlockCache(Connection connection, TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.clearBlockCache(name);
    }
  }

  /** Waits until a table's compactions have ended and no other begins for a while. */
  public static void awaitQuiet(Connection connection, TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      long deadline = System.nanoTime() + COMPACTION_LIMIT.toNanos();
      for (int quiet = 0; quiet < QUIET_POLLS; quiet++) {
        if (admin.getCompactionState(name) != CompactionState.NONE) {
          quiet = 0;
        }
        if (System.nanoTime() > deadline) {
          throw new IOException(
              name + ": still compacting after " + COMPACTION_LIMIT.toMinutes() + " min");
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private static boolean haveFiles(Admin admin, TableName name, int each) throws IOException {
    for (ServerName server : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, name)) {
        if (region.getStoreFileCount() != each) {
          return false;
        }
      }
    }
    return true;
  }

  /** How many HFiles a table has. */
  public static int files(Connection connection, TableName name) throws IOException {
    int files = 0;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        for (RegionMetrics region : admin.getRegionMetrics(server, name)) {
          files += region.getStoreFileCount();
        }
      }
    }
    return files;
  }

  /** Size of a table's HFiles and memstores, for progress bars; 0 if unknown. */
  static long bytes(Admin admin, TableName name) throws IOException {
    double bytes = 0;
    for (ServerName server :
        admin
            .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
            .getLiveServerMetrics()
            .keySet()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, name)) {
        bytes += region.getStoreFileSize().get(Size.Unit.BYTE);
        bytes += region.getMemStoreSize().get(Size.Unit.BYTE);
      }
    }
    return (long) bytes;
  }
}
