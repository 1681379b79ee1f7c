package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
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

  /** What must not be. */
  static List<String> wrong(Map<String, Long> counts, List<Mode> modes) {
    List<String> wrong = new ArrayList<>();
    if (modes.contains(Mode.IN_STORAGE) && !counts.containsKey("reads")) {
      wrong.add("Nothing was read at the daemons");
    }
    if (counts.containsKey("verifyDifferences")) {
      wrong.add("Reads that differed from HBase's own: see the region servers' logs");
    }
    return wrong;
  }
}
