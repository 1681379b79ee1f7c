package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** What the region servers count of in-storage reads. */
final class InStorageReads {
  private static final String READS = "reads";
  private static final String FALLBACKS = "fallbacks";

  /** A node that failed long ago is tried again within minutes. */
  private static final Duration QUARANTINE_LIMIT = Duration.ofMinutes(10);

  private static final long POLL_NANOS = Duration.ofSeconds(1).toNanos();

  /** In the log of a region server that verifies what it reads. */
  private static final String DIFFERENCE = "a read had other cells than HBase reads";

  private InStorageReads() {}

  /**
   * Counts of all region servers that are not 0, each since it was started last.
   *
   * @param modes in which was read; without in-storage nobody counts
   */
  static Map<String, Long> since(Connection connection, List<Mode> modes) throws IOException {
    Map<String, Long> sum = new TreeMap<>();
    if (!modes.contains(Mode.IN_STORAGE)) {
      return sum;
    }
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        RegionServerJmx.of(admin, server)
            .inStorageReads()
            .forEach(
                (name, count) -> {
                  if (count > 0) {
                    sum.merge(name, count.longValue(), Long::sum);
                  }
                });
      }
    }
    return sum;
  }

  /**
   * Waits until region servers leave no storage node alone because it failed: else what is verified
   * then is HBase's own path.
   *
   * @return who is left alone in the end; empty: nobody
   */
  static List<String> awaitNobodyLeftAlone(Connection connection, List<Mode> modes)
      throws IOException {
    List<String> leftAlone = new ArrayList<>();
    if (!modes.contains(Mode.IN_STORAGE)) {
      return leftAlone;
    }
    long begun = System.nanoTime();
    do {
      leftAlone.clear();
      try (Admin admin = connection.getAdmin()) {
        for (ServerName server : admin.getRegionServers()) {
          for (String name : RegionServerJmx.of(admin, server).quarantined()) {
            leftAlone.add("In the end " + server + " leaves alone: " + name);
          }
        }
      } catch (IOException e) {
        // A master that has just begun does not know yet where servers have their pages.
        leftAlone.add("In the end nobody can say whom region servers leave alone: " + e);
      }
      if (leftAlone.isEmpty()) {
        return leftAlone;
      }
      LockSupport.parkNanos(POLL_NANOS);
    } while (System.nanoTime() - begun < QUARANTINE_LIMIT.toNanos());
    return leftAlone;
  }

  /**
   * What must not be.
   *
   * @param before a pass in which all was read in each mode
   * @param after it, of the same processes
   */
  static List<String> wrong(
      Map<String, Long> before,
      Map<String, Long> after,
      List<Mode> modes,
      LocalCluster cluster,
      ClusterOptions options)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    if (modes.contains(Mode.IN_STORAGE)) {
      long reads = grown(READS, before, after);
      long fallbacks = grown(FALLBACKS, before, after);
      if (reads <= fallbacks) {
        wrong.add(
            "In the end the daemons were asked "
                + reads
                + " times, and "
                + fallbacks
                + " reads went over HBase's own path");
      }
    }
    // Of servers that were killed, the logs alone tell.
    for (int number = 1; number <= options.regionServers().size(); number++) {
      for (String line : cluster.linesOfRegionServer(number, DIFFERENCE)) {
        wrong.add("A read that differed from HBase's own: " + line);
      }
    }
    return wrong;
  }

  private static long grown(String name, Map<String, Long> before, Map<String, Long> after) {
    return after.getOrDefault(name, 0L) - before.getOrDefault(name, 0L);
  }
}
