package io.ishbase.dist.example;

import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;

/** Bytes that region servers have fetched from storage: answers of daemons, and blocks. */
final class StorageTraffic {
  private static final String BEAN = "Hadoop:service=HBase,name=RegionServer,sub=InStorage";

  /** Longer than the period at which the servers of {@code ./ishbase} renew their figures. */
  private static final Duration PERIOD = Duration.ofMillis(1300);

  private static final int MOST_PERIODS = 20;

  private StorageTraffic() {}

  /**
   * Of all region servers since their starts, once it grows no more.
   *
   * @throws IOException if a server does not answer
   */
  static long settled(Connection connection) throws IOException {
    long last = now(connection);
    int same = 0;
    for (int i = 0; i < MOST_PERIODS && same < 2; i++) {
      LockSupport.parkNanos(PERIOD.toNanos());
      long next = now(connection);
      same = next == last ? same + 1 : 0;
      last = next;
    }
    return last;
  }

  private static long now(Connection connection) throws IOException {
    long bytes = 0;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        RegionServerJmx page = RegionServerJmx.of(admin, server);
        for (String name : new String[] {"InStorageBytes", "BlockBytes"}) {
          bytes += page.attribute(BEAN, name).map(JsonElement::getAsLong).orElse(0L);
        }
      }
    }
    return bytes;
  }
}
