package io.ishbase.bench;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/**
 * A major compaction of all regions of a table that runs while something else is measured. A region
 * is done when it names a later major compaction than before.
 */
public final class MajorCompaction implements Closeable {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private final Connection connection;
  private final TableName table;
  private final Thread watcher = new Thread(this::watch, "major-compaction");
  private volatile boolean isWanted;
  private volatile long startNanos = System.nanoTime();
  private volatile long endNanos;
  private volatile IOException failure;

  private MajorCompaction(Connection connection, TableName table) {
    this.connection = connection;
    this.table = table;
    watcher.setDaemon(true);
    watcher.start();
  }

  /**
   * Prepares one. The cluster is looked at from now on until it is closed, so that a load bears the
   * same before, during and after it.
   */
  public static MajorCompaction prepare(Connection connection, TableName table) {
    return new MajorCompaction(connection, table);
  }

  /** Has it asked for, and returns at once. */
  public void start() {
    isWanted = true;
  }

  /** Has one carried out; returns how many seconds it took. */
  public static double run(Connection connection, TableName table) throws IOException {
    try (MajorCompaction compaction = prepare(connection, table)) {
      compaction.start();
      compaction.await();
      return compaction.seconds();
    }
  }

  private Map<String, Long> lastCompactions(Admin admin) throws IOException {
    Map<String, Long> last = new HashMap<>();
    for (ServerName server : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, table)) {
        last.put(region.getNameAsString(), region.getLastMajorCompactionTimestamp());
      }
    }
    return last;
  }

  private static boolean isLater(Map<String, Long> now, Map<String, Long> before) {
    return before.entrySet().stream()
        .allMatch(region -> now.getOrDefault(region.getKey(), 0L) > region.getValue());
  }

  private void watch() {
    try (Admin admin = connection.getAdmin()) {
      Map<String, Long> before = lastCompactions(admin);
      while (!isWanted && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(POLL_NANOS);
        before = lastCompactions(admin);
      }
      if (!isWanted) {
        return;
      }
      startNanos = System.nanoTime();
      admin.majorCompact(table);
      while (!Thread.currentThread().isInterrupted()) {
        if (isLater(lastCompactions(admin), before) && endNanos == 0) {
          endNanos = System.nanoTime();
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  /**
   * Whether it has ended.
   *
   * @throws IOException if that cannot be found out, or if it has lasted too long
   */
  public boolean hasEnded() throws IOException {
    if (endNanos == 0 && System.nanoTime() - startNanos > LIMIT.toNanos()) {
      throw new IOException(
          "compaction of " + table + ": no end within " + LIMIT.toMinutes() + " min");
    }
    if (failure != null) {
      throw new IOException("compaction of " + table + ": " + failure.getMessage(), failure);
    }
    return endNanos != 0;
  }

  private void await() throws IOException {
    while (!hasEnded()) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** How long it took, from the request to the end, in seconds; 0 if it has not ended. */
  public double seconds() {
    return endNanos == 0 ? 0 : (endNanos - startNanos) / 1e9;
  }

  /** Stops watching; the compaction goes on. */
  @Override
  public void close() {
    watcher.interrupt();
  }
}
