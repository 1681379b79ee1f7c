package io.ishbase.bench.scenario;

import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.NetworkRig;
import io.ishbase.bench.Progress;
import io.ishbase.bench.RegionServerJmx;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** Major compactions on a cluster of one region server that does nothing else. */
final class IdleCompaction {
  private static final Duration COUNTED_LIMIT = Duration.ofSeconds(20);
  private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

  /**
   * What one took.
   *
   * @param crossed bytes between compute and storage meanwhile
   * @param idle the same in as long a time after it
   * @param bytes of the files, as far as they were offloaded
   * @param messageBytes of requests and answers between region server, manager and workers
   * @param asMeant whether as many compactions were offloaded as should have been
   */
  record Run(
      double seconds,
      NetworkRig.Traffic crossed,
      NetworkRig.Traffic idle,
      double bytes,
      double messageBytes,
      boolean asMeant) {

    double crossedBytes() {
      return crossed.in() + crossed.out();
    }

    double netBytes() {
      return Math.max(0, crossedBytes() - idle.in() - idle.out());
    }

    /** All of it, for machines. */
    Map<String, Object> forMachines() {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("seconds", seconds);
      all.put("network_bytes_in", crossed.in());
      all.put("network_bytes_out", crossed.out());
      all.put("idle_bytes_in", idle.in());
      all.put("idle_bytes_out", idle.out());
      all.put("offloaded_bytes", bytes);
      all.put("message_bytes", messageBytes);
      return all;
    }
  }

  private final Connection connection;
  private final NetworkRig rig;
  private final RegionServerJmx server;

  /** What had been offloaded when the last run ended. */
  private Map<String, Double> offloads;

  IdleCompaction(Connection connection, NetworkRig rig) throws IOException {
    this.connection = connection;
    this.rig = rig;
    try (Admin admin = connection.getAdmin()) {
      ServerName only = admin.getRegionServers().iterator().next();
      server = RegionServerJmx.of(admin, only);
    }
    offloads = server.offloads();
  }

  /** Compacts all {@code regions} of a table under caps, 0 for none. */
  Run run(
      String words,
      TableName table,
      int regions,
      CompactionMode mode,
      int computeMbps,
      int storageMbps)
      throws IOException {
    mode.switchOver(connection, table);
    try (Progress progress = new Progress(words + ", " + mode, 0)) {
      cap(computeMbps, storageMbps);
      NetworkRig.Traffic start = rig.traffic();
      double seconds;
      try (MajorCompaction compaction = MajorCompaction.start(connection, table)) {
        compaction.await();
        seconds = compaction.seconds();
      }
      NetworkRig.Traffic end = rig.traffic();
      LockSupport.parkNanos((long) (seconds * 1e9));
      NetworkRig.Traffic later = rig.traffic();
      progress.done(String.format(Locale.ROOT, "%.1f s", seconds));
      Map<String, Double> before = offloads;
      boolean asMeant = mode == CompactionMode.STOCK || counted(before, regions);
      return new Run(
          seconds,
          end.since(start),
          later.since(end),
          offloads.get("offloadedBytes") - before.get("offloadedBytes"),
          offloads.get("controlBytes") - before.get("controlBytes"),
          asMeant);
    } finally {
      cap(0, 0);
    }
  }

  private void cap(int computeMbps, int storageMbps) {
    if (rig.canCap()) {
      rig.capMbps(computeMbps);
      rig.capStorageMbps(storageMbps);
    }
  }

  /** Waits until the server's figures, which are some seconds old, show the compactions. */
  private boolean counted(Map<String, Double> before, int regions) throws IOException {
    long deadline = System.nanoTime() + COUNTED_LIMIT.toNanos();
    do {
      LockSupport.parkNanos(POLL_NANOS);
      Map<String, Double> now = server.offloads();
      // It takes them away for some seconds when it opens regions.
      if (now.get("offloaded") >= before.get("offloaded") + regions) {
        offloads = now;
        return true;
      }
    } while (System.nanoTime() < deadline);
    return false;
  }
}
