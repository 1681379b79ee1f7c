package io.ishbase.dist.packaging;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.Installed;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Daemons, master and region servers of a cluster end one after the other and start again from
 * another release, while clients read and write rows of a table and check what they read. A read
 * that a region server answered by another way because of a daemon's release is counted until that
 * region server ends.
 */
final class RollingRestart {
  private static final int CLIENTS = 4;
  private static final long SECONDS_BEFORE = 10;
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COUNT = Bytes.toBytes("count");

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final Connection connection;
  private final TableName table;
  private final int rows;

  /** What each region server that there was has said last. */
  private final Map<ServerName, Map<String, Double>> counted = new HashMap<>();

  private volatile Histogram latency = histogram();
  private volatile boolean isOver;

  /**
   * Among so many rows, which are there.
   *
   * @param options those that the cluster was prepared with
   */
  RollingRestart(
      LocalCluster cluster,
      ClusterOptions options,
      Connection connection,
      TableName table,
      int rows) {
    this.cluster = cluster;
    this.options = options;
    this.connection = connection;
    this.table = table;
    this.rows = rows;
  }

  private static Histogram histogram() {
    return new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(10), 3);
  }

  /**
   * Restarts all.
   *
   * @param daemonsFirst else they are last
   * @return what happened, a line
   * @throws IOException if an operation fails, or a read shows what was not written
   */
  String to(Installed release, boolean daemonsFirst)
      throws IOException, InterruptedException, ExecutionException {
    isOver = false;
    latency = histogram();
    counted.clear();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Long>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      clients.add(threads.submit(() -> operate(client)));
    }
    Histogram before;
    Histogram meanwhile;
    try {
      TimeUnit.SECONDS.sleep(SECONDS_BEFORE);
      before = latency;
      latency = histogram();
      if (daemonsFirst) {
        restartDaemons(release);
      }
      restart(Kind.MASTER, 1, release);
      for (int number = 1; number <= options.regionServers().size(); number++) {
        count();
        restartWithoutRegions(number, release);
      }
      if (!daemonsFirst) {
        restartDaemons(release);
      }
      count();
      meanwhile = latency;
    } finally {
      isOver = true;
      threads.shutdown();
    }
    long operations = 0;
    for (Future<Long> client : clients) {
      operations += client.get();
    }
    return String.format(
        Locale.ROOT,
        "daemons %s: %d operations, none failed; p99 %.1f ms before, %.1f ms meanwhile, at most"
            + " %.0f ms; %.0f reads by daemons, %.0f fell back for the release",
        daemonsFirst ? "first" : "last",
        operations,
        before.getValueAtPercentile(99) / 1000.0,
        meanwhile.getValueAtPercentile(99) / 1000.0,
        meanwhile.getMaxValue() / 1000.0,
        counted("reads"),
        counted("fallbacks, version"));
  }

  private void restartDaemons(Installed release) throws IOException {
    for (int node = 1; node <= options.storageNodes(); node++) {
      restart(Kind.DAEMON, node, release);
    }
  }

  private void restart(Kind kind, int number, Installed release) throws IOException {
    ClusterServer server = cluster.server(kind, number, options, release);
    server.end();
    server.start();
    server.awaitServing();
  }

  /** Moves the regions of a region server away before it ends, and back, as HBase's scripts do. */
  private void restartWithoutRegions(int number, Installed release) throws IOException {
    String address = cluster.regionServers().get(number - 1);
    try (Admin admin = connection.getAdmin()) {
      boolean wasBalanced = admin.balancerSwitch(false, true);
      List<RegionInfo> regions = admin.getRegions(at(admin, address));
      move(admin, regions, other(admin, address));
      Await.until("no region at " + address, () -> isEmpty(admin, address));
      restart(Kind.REGION_SERVER, number, release);
      move(admin, regions, at(admin, address));
      admin.balancerSwitch(wasBalanced, true);
    }
  }

  private static void move(Admin admin, List<RegionInfo> regions, ServerName to)
      throws IOException {
    for (RegionInfo region : regions) {
      admin.move(region.getEncodedNameAsBytes(), to);
    }
  }

  private static ServerName at(Admin admin, String address) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> server.getAddress().toString().equals(address))
        .findFirst()
        .orElseThrow(() -> new IOException("no region server at " + address));
  }

  private static ServerName other(Admin admin, String address) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> !server.getAddress().toString().equals(address))
        .findFirst()
        .orElseThrow(() -> new IOException("no region server but " + address));
  }

  private static boolean isEmpty(Admin admin, String address) {
    try {
      return admin.getRegions(at(admin, address)).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks region servers what they have counted since they began. */
  private void count() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      Await.until("all region servers to show what they count", () -> isCounted(admin));
    }
  }

  private boolean isCounted(Admin admin) {
    try {
      for (ServerName server : admin.getRegionServers()) {
        counted.put(server, RegionServerJmx.of(admin, server).inStorageReads());
      }
      return true;
    } catch (IOException e) {
      // One that has just begun does not say yet where its page is.
      return false;
    }
  }

  private double counted(String name) {
    return counted.values().stream().mapToDouble(each -> each.getOrDefault(name, 0.0)).sum();
  }

  /** Counts rows of its own up, and looks at those of others. */
  private long operate(int client) throws IOException {
    long[] written = new long[rows];
    long operations = 0;
    try (Table open = connection.getTable(table)) {
      while (!isOver) {
        int row = ThreadLocalRandom.current().nextInt(rows / CLIENTS) * CLIENTS + client;
        long start = System.nanoTime();
        if (ThreadLocalRandom.current().nextInt(4) == 0) {
          written[row]++;
          open.put(new Put(key(row)).addColumn(FAMILY, COUNT, Bytes.toBytes(written[row])));
        } else {
          // Half of them not by the segment cache.
          Get get = new Get(key(row)).setCacheBlocks(ThreadLocalRandom.current().nextBoolean());
          byte[] value = open.get(get).getValue(FAMILY, COUNT);
          if (written[row] > 0 && (value == null || Bytes.toLong(value) != written[row])) {
            throw new IOException(
                "row " + row + " shows " + Bytes.toStringBinary(value) + ", not " + written[row]);
          }
        }
        latency.recordValue((System.nanoTime() - start) / 1000);
        operations++;
      }
    }
    return operations;
  }

  private static byte[] key(int row) {
    return OtherVersions.row(row);
  }
}
