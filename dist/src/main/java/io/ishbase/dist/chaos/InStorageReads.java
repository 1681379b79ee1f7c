package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** What the region servers count of in-storage reads. */
final class InStorageReads {
  private static final String READS = "reads";

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
    if (modes.contains(Mode.IN_STORAGE)
        && after.getOrDefault(READS, 0L) <= before.getOrDefault(READS, 0L)) {
      wrong.add("In the end nothing was read at the daemons");
    }
    // Of servers that were killed, the logs alone tell.
    for (int number = 1; number <= options.regionServers().size(); number++) {
      for (String line : cluster.linesOfRegionServer(number, DIFFERENCE)) {
        wrong.add("A read that differed from HBase's own: " + line);
      }
    }
    return wrong;
  }
}
