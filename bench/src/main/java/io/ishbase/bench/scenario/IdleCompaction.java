package io.ishbase.bench.scenario;

import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.cluster.Progress;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/** Major compactions on a cluster that does nothing else. */
final class IdleCompaction {
  /**
   * What one took.
   *
   * @param crossed bytes between compute and storage meanwhile
   * @param idle the same in as long a time after it; nothing if the region server compacted
   * @param bytes of the files, as far as they were offloaded
   * @param messageBytes of requests and answers between region server, manager and workers
   * @param heldBackSeconds that workers paused because processors were busy, all together
   * @param asMeant whether as many compactions were offloaded as should have been
   */
  record Run(
      double seconds,
      NetworkRig.Traffic crossed,
      NetworkRig.Traffic idle,
      double bytes,
      double messageBytes,
      double heldBackSeconds,
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
      all.put("held_back_seconds", heldBackSeconds);
      return all;
    }
  }

  private final Connection connection;
  private final NetworkRig rig;
  private final Offloads offloads;

  IdleCompaction(Connection connection, NetworkRig rig) throws IOException {
    this.connection = connection;
    this.rig = rig;
    this.offloads = new Offloads(connection);
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
      double seconds = MajorCompaction.run(connection, table);
      NetworkRig.Traffic end = rig.traffic();
      if (mode != CompactionMode.STOCK) {
        idle(seconds);
      }
      NetworkRig.Traffic later = rig.traffic();
      progress.done(String.format(Locale.ROOT, "%.1f s", seconds));
      int expected = mode == CompactionMode.STOCK ? 0 : regions;
      Offloads.Growth offloaded = offloads.look(expected);
      return new Run(
          seconds,
          end.since(start),
          later.since(end),
          offloaded.bytes(),
          offloaded.messageBytes(),
          offloaded.heldBackMillis() / 1e3,
          offloaded.compactions() == expected);
    } finally {
      cap(0, 0);
    }
  }

  private static void idle(double seconds) {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void cap(int computeMbps, int storageMbps) {
    if (rig.canCap()) {
      rig.capMbps(computeMbps);
      rig.capStorageMbps(storageMbps);
    }
  }
}
