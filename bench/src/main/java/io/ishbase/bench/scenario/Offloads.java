package io.ishbase.bench.scenario;

import io.ishbase.cluster.RegionServerJmx;
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

/** What all region servers together count of offloaded compactions, from one look to the next. */
final class Offloads {
  /** What has grown between two looks. */
  record Growth(double compactions, double bytes, double messageBytes, double heldBackMillis) {}

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

  private final List<RegionServerJmx> servers = new ArrayList<>();
  private Map<String, Double> last;

  /** The first look. */
  Offloads(Connection connection) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        servers.add(RegionServerJmx.of(admin, server));
      }
    }
    last = now();
  }

  private Map<String, Double> now() throws IOException {
    Map<String, Double> sum = new TreeMap<>();
    for (RegionServerJmx server : servers) {
      server.offloads().forEach((name, value) -> sum.merge(name, value, Double::sum));
    }
    return sum;
  }

  /**
   * What has grown since the last look. Figures are some seconds old, and away when regions open,
   * so this waits for a while until they show {@code expected} compactions or more.
   */
  Growth look(int expected) throws IOException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    Map<String, Double> now = now();
    while (grown(now, "Offloaded") < expected && System.nanoTime() < deadline) {
      LockSupport.parkNanos(POLL_NANOS);
      now = now();
    }
    Growth growth =
        new Growth(
            grown(now, "Offloaded"),
            grown(now, "OffloadedBytes"),
            grown(now, "ControlBytes"),
            grown(now, "HeldBackMillis"));
    last = now;
    return growth;
  }

  private double grown(Map<String, Double> now, String name) {
    return now.get(name) - last.get(name);
  }
}
