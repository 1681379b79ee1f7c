package io.ishbase.bench;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;

/** Puts regions where a benchmark wants them; HBase moves none by itself meanwhile. */
public final class Placement implements Closeable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private final Connection connection;
  private final Admin admin;
  private final boolean balancedBefore;

  /** Switches the balancer off; {@link #close} switches it back. */
  public Placement(Connection connection) throws IOException {
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.balancedBefore = admin.balancerSwitch(false, true);
  }

  /**
   * The region server that listens at {@code host:port}.
   *
   * @throws IOException if there is none
   */
  public ServerName server(String address) throws IOException {
    for (ServerName server : admin.getRegionServers()) {
      if (server.getAddress().toString().equals(address)) {
        return server;
      }
    }
    throw new IOException("no region server at " + address + ": " + admin.getRegionServers());
  }

  /** Moves the regions of a table to {@code servers} in turn, in the order of their keys. */
  public void place(TableName table, List<ServerName> servers) throws IOException {
    List<RegionInfo> regions = admin.getRegions(table);
    try (RegionLocator locator = connection.getRegionLocator(table)) {
      for (int i = 0; i < regions.size(); i++) {
        RegionInfo region = regions.get(i);
        ServerName target = servers.get(i % servers.size());
        if (!isAt(locator, region, target)) {
          admin.move(region.getEncodedNameAsBytes(), target);
        }
        await(locator, region, target);
      }
    }
  }

  /** Waits until all regions of a table are at {@code server}, to which nobody moves them. */
  public void await(TableName table, ServerName server) throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(table)) {
      for (RegionInfo region : admin.getRegions(table)) {
        await(locator, region, server);
      }
    }
  }

  private static void await(RegionLocator locator, RegionInfo region, ServerName target)
      throws IOException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!isAt(locator, region, target)) {
      if (System.nanoTime() > deadline) {
        throw new IOException(region + " does not come to " + target);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static boolean isAt(RegionLocator locator, RegionInfo region, ServerName server)
      throws IOException {
    HRegionLocation location = locator.getRegionLocation(region.getStartKey(), true);
    return server.equals(location.getServerName());
  }

  @Override
  public void close() throws IOException {
    admin.balancerSwitch(balancedBefore, true);
    admin.close();
  }
}
