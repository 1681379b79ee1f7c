package io.ishbase.cluster.sample;

import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;

/**
 * What a cluster's servers said at one moment.
 *
 * @param nanos by the clock of whoever asked
 * @param regions by their encoded names, with those of other replicas
 */
public record Moment(
    long nanos, Map<ServerName, ServerMetrics> servers, Map<String, Region> regions) {

  /**
   * A region.
   *
   * @param isReplica whether it is a further one of a region
   * @param kinds if its server's page is shown
   */
  record Region(TableName table, boolean isReplica, RegionMetrics metrics, Optional<Kinds> kinds) {}

  /**
   * What a server's page says of a region. It is some seconds old, but all of it equally.
   *
   * @param reads rows that were read, by Gets or Scans, since the region was opened
   * @param gets since then
   * @param scans calls of Scans since then
   * @param bytes of its HFiles and memstores
   */
  record Kinds(long reads, long gets, long scans, double bytes) {
    static Kinds of(Map<String, Long> figures) {
      return new Kinds(
          figures.getOrDefault("readRequestCount", 0L),
          figures.getOrDefault("getCount", 0L),
          figures.getOrDefault("scanCount", 0L),
          figures.getOrDefault("storeFileSize", 0L) + figures.getOrDefault("memStoreSize", 0L));
    }
  }
}
